// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// TSAN: misses: accesses wider than 16 bytes are not instrumented

// A 64-byte vector store (one instruction in the compiler's eyes, several in the machine's) against
// a 4-byte load of its last lane.
#include "script.h"
#include "spawn.h"

typedef int Int16 __attribute__((vector_size(64)));

alignas(64) int lanes[16];

int main() {
  run_threads([] { *reinterpret_cast<Int16*>(lanes) = Int16{} + 1; },  // RACE: write 64
              [] { keep(lanes[15]); });                                // RACE: read 4
}
