// REQUIRES: avx2
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: x86's own masked operations are not instrumented

// AVX's masked load and store and AVX2's gather, with masks the compiler does not know.
#include <immintrin.h>

#include "script.h"
#include "spawn.h"

struct alignas(64) Line {
  int elements[8];
};
Line stored, loaded, gathered;
alignas(32) int lanes[8] = {0, 0, -1, 0, 0, 0, 0, 0};

__attribute__((target("avx2"))) void vectors() {
  // Had the compiler a hold on the mask, it might load everything and select afterwards.
  const __m256i mask = *reinterpret_cast<const __m256i*>(lanes);
  _mm256_maskstore_epi32(stored.elements, mask, _mm256_set1_epi32(1));  // RACE: store write
  __m256 got =
      _mm256_maskload_ps(reinterpret_cast<float*>(loaded.elements), mask);  // RACE: load read
  __m256i far =
      _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), gathered.elements,  // RACE: gather read
                                  _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0), mask, 4);
  keep_object(&got), keep_object(&far);
}

int main() {
  keep_object(lanes);
  run_threads([] { vectors(); },
              [] {
                keep(stored.elements[2]);  // RACE: store read 4
                loaded.elements[2] = 1;    // RACE: load write 4
                gathered.elements[5] = 1;  // RACE: gather write 4
              });
}
