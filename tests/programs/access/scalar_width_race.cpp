// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: wrong size: a 16-byte access is reported as its first 8 bytes

// Plain scalars of 1, 2, 4, 8 and 16 bytes, floating point and pointers included.
#include <cstdint>

#include "script.h"
#include "spawn.h"

alignas(64) int8_t i8;
alignas(64) int16_t i16;
alignas(64) int32_t i32;
alignas(64) int64_t i64;
alignas(64) __int128 i128;
alignas(64) float f32;
alignas(64) double f64;
alignas(64) int* pointer;
alignas(64) bool flag;

int main() {
  run_threads(
      [] {
        i8 = 1;          // RACE: i8 write 1
        i16 = 1;         // RACE: i16 write 2
        i32 = 1;         // RACE: i32 write 4
        i64 = 1;         // RACE: i64 write 8
        i128 = 1;        // RACE: i128 write 16
        f32 = 1;         // RACE: f32 write 4
        f64 = 1;         // RACE: f64 write 8
        pointer = &i32;  // RACE: pointer write 8
        flag = true;     // RACE: flag write 1
      },
      [] {
        keep(i8);                             // RACE: i8 read 1
        keep(i16);                            // RACE: i16 read 2
        keep(i32);                            // RACE: i32 read 4
        keep(i64);                            // RACE: i64 read 8
        keep(static_cast<long>(i128 >> 32));  // RACE: i128 read 16
        keep(static_cast<long>(f32));         // RACE: f32 read 4
        keep(static_cast<long>(f64));         // RACE: f64 read 8
        keep_object(pointer);                 // RACE: pointer read 8
        keep(flag);                           // RACE: flag read 1
      });
}
