// REQUIRES: avx2
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: accesses wider than 16 bytes are not instrumented

// A 32-byte AVX store against a one-byte load of its last byte.
#include <immintrin.h>

#include "script.h"
#include "spawn.h"

alignas(32) char bytes[32];

__attribute__((target("avx2"))) void store_all(char value) {
  *reinterpret_cast<__m256i*>(bytes) = _mm256_set1_epi8(value);  // RACE: write 32
}

int main() {
  run_threads([] { store_all(1); }, [] { keep(bytes[31]); });  // RACE: read 1
}
