// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Copies of 3, 5, 7 and 24 bytes: sizes no single instruction has, compiled to memcpy.
#include "script.h"
#include "spawn.h"

template <int kSize>
struct Bytes {
  char byte[kSize];
};

Bytes<3> three, three_to;
Bytes<5> five, five_to;
Bytes<7> seven, seven_to;
Bytes<24> many, many_to;

int main() {
  run_threads(
      [] {
        three_to = three;  // RACE: three read
        five_to = five;    // RACE: five read
        seven_to = seven;  // RACE: seven read
        many_to = many;    // RACE: many read
      },
      [] {
        three.byte[2] = 1;  // RACE: three write 1
        five.byte[4] = 1;   // RACE: five write 1
        seven.byte[6] = 1;  // RACE: seven write 1
        many.byte[23] = 1;  // RACE: many write 1
      });
  keep(three_to.byte[0] + five_to.byte[0] + seven_to.byte[0] + many_to.byte[0]);
}
