// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: four cells of history per 8-byte word

// Between the two racing writes of one byte, another thread writes each of the other seven bytes of
// its word.
#include "script.h"
#include "spawn.h"

alignas(8) char word[8];

int main() {
  run_threads(
      [] {
        word[0] = 1;  // RACE: write 1
        script_post(0);
      },
      [] {
        script_wait(0);
        for (int i = 1; i < 8; ++i) {
          word[i] = 1;
          keep_object(word);
        }
        script_post(1);
      },
      [] {
        script_wait(1);
        word[0] = 2;  // RACE: write 1
      });
  keep_object(word);
}
