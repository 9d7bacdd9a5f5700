// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Every form of operator new has its delete, and delete is a write to the block that an unordered
// reader races with.
#include <new>

#include "script.h"
#include "spawn.h"

struct alignas(128) Wide {
  int values[32] = {};
};

int* plain = new int(1);
int* array = new int[10]();
int* quiet = new (std::nothrow) int(1);
Wide* wide = new Wide;
Wide* wides = new Wide[2];

int main() {
  run_threads(
      [] {
        keep(*plain);              // RACE: plain read 4
        keep(array[9]);            // RACE: array read 4
        keep(*quiet);              // RACE: quiet read 4
        keep(wide->values[31]);    // RACE: wide read 4
        keep(wides[1].values[0]);  // RACE: wides read 4
        script_post(0);
      },
      [] {
        script_wait(0);
        delete plain;    // RACE: plain write
        delete[] array;  // RACE: array write
        delete quiet;    // RACE: quiet write
        delete wide;     // RACE: wide write
        delete[] wides;  // RACE: wides write
      });
}
