// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Accesses of different size that share one byte: 8 against 1 in the middle, 4 against an
// unaligned 4 that begins in its last byte.
#include <cstdint>
#include <cstring>

#include "script.h"
#include "spawn.h"

alignas(8) unsigned char wide[8];
alignas(8) unsigned char shifted[8];

struct __attribute__((packed)) Unaligned {
  int32_t value;
};

int main() {
  run_threads(
      [] {
        *reinterpret_cast<int64_t*>(wide) = 1;     // RACE: middle write 8
        *reinterpret_cast<int32_t*>(shifted) = 1;  // RACE: shifted write 4
      },
      [] {
        keep(wide[4]);                                           // RACE: middle read 1
        keep(reinterpret_cast<Unaligned*>(shifted + 3)->value);  // RACE: shifted read 4
      });
}
