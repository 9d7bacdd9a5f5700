// REQUIRES: avx2
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: accesses wider than 16 bytes are not instrumented

// An unaligned 32-byte AVX load (it straddles a cache line) against a 2-byte store in its second
// half.
#include <immintrin.h>

#include "script.h"
#include "spawn.h"

alignas(64) short values[64];

__attribute__((target("avx2"))) void load_all() {
  auto* from = reinterpret_cast<__m256i_u*>(values + 24);
  __m256i all = *from;  // RACE: read 32
  keep_object(&all);
}

int main() {
  run_threads([] { load_all(); }, [] { values[24 + 15] = 1; });  // RACE: write 2
}
