// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Two 64-byte vector stores side by side.
#include "script.h"
#include "spawn.h"

typedef int Int16 __attribute__((vector_size(64)));

alignas(64) int lanes[32];

int main() {
  auto* halves = reinterpret_cast<Int16*>(lanes);
  run_threads([=] { halves[0] = Int16{} + 1; }, [=] { halves[1] = Int16{} + 2; });
  require(lanes[15] == 1 && lanes[16] == 2);
}
