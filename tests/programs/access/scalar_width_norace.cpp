// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// The same widths laid next to each other in one structure, every second field written by another
// thread: no access may spill over its own bytes.
#include <cstdint>

#include "script.h"
#include "spawn.h"

struct Fields {
  int8_t a0, b0;
  int16_t a1, b1;
  int32_t a2, b2;
  int64_t a3, b3;
  __int128 a4, b4;
  float a5, b5;
  double a6, b6;
} fields;

int main() {
  run_threads(
      [] {
        fields.a0 = 1;
        fields.a1 = 1;
        fields.a2 = 1;
        fields.a3 = 1;
        fields.a4 = 1;
        fields.a5 = 1;
        fields.a6 = 1;
      },
      [] {
        fields.b0 = 2;
        fields.b1 = 2;
        fields.b2 = 2;
        fields.b3 = 2;
        fields.b4 = 2;
        fields.b5 = 2;
        fields.b6 = 2;
      });
  require(fields.a0 == 1 && fields.b6 == 2);
  keep_object(&fields);
}
