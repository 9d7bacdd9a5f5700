// What the report needs to know of an ELF file: where its segments lie, its build id, the
// content of a section.
#pragma once

#include "runtime/base/text.h"

namespace bigfoot::rt::report {

struct ElfImage {
  uptr lowest = 0;           // of the segments, in the file's own numbering
  uptr highest = 0;          // end of the last segment, zero-filled part included
  uptr address_of_code = 0;  // what the asked-for file offset is loaded as
  char build_id[2 * 64] = {};
  usize build_id_size = 0;
};

// Reads the headers from memory (`start`, where the file's first byte is mapped; through the
// kernel, so that a module unmapped meanwhile is an error and no crash), or from the file if that
// fails. `code_offset` is the file offset of the mapping that holds code. False if it is no ELF
// file.
bool read_elf(const char* path, uptr start, u64 code_offset, ElfImage& image);

// The content of a section of the file. False if the file has none of that name, or if it cannot be
// read whole.
bool read_section(const char* path, Text name, TextBuffer& content);

}  // namespace bigfoot::rt::report
