// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Accesses of different size that touch but do not share a byte.
#include <cstdint>

#include "script.h"
#include "spawn.h"

alignas(8) unsigned char block[16];

struct __attribute__((packed)) Unaligned {
  int32_t value;
};

int main() {
  run_threads([] { *reinterpret_cast<int16_t*>(block) = 1; }, [] { block[2] = 2; },
              [] { reinterpret_cast<Unaligned*>(block + 3)->value = 3; }, [] { block[7] = 4; },
              [] { *reinterpret_cast<int64_t*>(block + 8) = 5; });
  require(block[2] == 2 && block[3] == 3 && block[7] == 4 && block[8] == 5);
}
