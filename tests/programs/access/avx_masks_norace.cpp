// REQUIRES: avx2
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// The elements that the mask leaves out are not accessed.
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
  _mm256_maskstore_epi32(stored.elements, mask, _mm256_set1_epi32(1));
  __m256 got = _mm256_maskload_ps(reinterpret_cast<float*>(loaded.elements), mask);
  __m256i far = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), gathered.elements,
                                            _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0), mask, 4);
  keep_object(&got), keep_object(&far);
}

int main() {
  keep_object(lanes);
  run_threads([] { vectors(); },
              [] {
                keep(stored.elements[3]);
                loaded.elements[3] = 1;
                gathered.elements[2] = 1;
              });
}
