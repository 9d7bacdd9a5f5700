/* The interface of liblzf, whose sources are in the package without it. */
#pragma once

unsigned int lzf_compress(const void* input, unsigned int input_bytes, void* output, unsigned int output_bytes);
unsigned int lzf_decompress(const void* input, unsigned int input_bytes, void* output, unsigned int output_bytes);
