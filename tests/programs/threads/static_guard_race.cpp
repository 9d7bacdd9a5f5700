// RUN: %clangxx -fno-threadsafe-statics %s %support -o %t
// RUN: %run_racy %t

// Initialisation on first use with the guard's lock turned off: its flag and the object are raced
// on.
#include "script.h"
#include "spawn.h"

__attribute__((noinline)) int initial() {
  return 7;
}

struct alignas(64) Value {
  int number;
  Value() : number(initial()) {}  // RACE: write 4
};

__attribute__((noinline)) const Value& value() {
  static Value instance;  // RACE: guard read 1, write 1
  return instance;
}

int main() {
  run_threads(
      [] {
        keep(value().number);
        script_post(0);
      },
      [] {
        script_wait(0);
        keep(value().number + 1);  // RACE: read 4
      });
}
