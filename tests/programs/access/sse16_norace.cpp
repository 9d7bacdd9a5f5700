// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Two 16-byte vector stores to neighbouring halves of one 32-byte block.
#include <emmintrin.h>

#include "script.h"
#include "spawn.h"

alignas(32) int lanes[8];

int main() {
  auto* halves = reinterpret_cast<__m128i*>(lanes);
  run_threads([=] { halves[0] = _mm_set1_epi32(1); }, [=] { halves[1] = _mm_set1_epi32(2); });
  require(lanes[3] == 1 && lanes[4] == 2);
}
