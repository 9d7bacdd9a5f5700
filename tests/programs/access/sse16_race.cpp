// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: wrong size: a 16-byte access is reported as the 8-byte half that conflicts

// A 16-byte vector store against a 4-byte load of its last lane.
#include <emmintrin.h>

#include "script.h"
#include "spawn.h"

alignas(16) int lanes[4];

int main() {
  run_threads([] { *reinterpret_cast<__m128i*>(lanes) = _mm_set1_epi32(7); },  // RACE: write 16
              [] { keep(lanes[3]); });                                         // RACE: read 4
}
