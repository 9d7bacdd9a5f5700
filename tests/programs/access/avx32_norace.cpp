// REQUIRES: avx2
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Two 32-byte AVX stores side by side, and a byte on either side of them.
#include <immintrin.h>

#include "script.h"
#include "spawn.h"

alignas(32) char bytes[128];

__attribute__((target("avx2"))) void store(char* to, char value) {
  *reinterpret_cast<__m256i*>(to) = _mm256_set1_epi8(value);
}

int main() {
  run_threads([] { store(bytes + 32, 1); }, [] { store(bytes + 64, 2); }, [] { bytes[31] = 3; },
              [] { bytes[96] = 4; });
  require(bytes[31] == 3 && bytes[32] == 1 && bytes[64] == 2 && bytes[96] == 4);
}
