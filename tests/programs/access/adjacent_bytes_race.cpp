// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: four cells of history for the eight bytes of a word

// Eight threads write the eight bytes of one word; a ninth writes the fifth byte again. Exactly
// that byte's two writers are the race.
#include "script.h"
#include "spawn.h"

alignas(8) char word[8];

int main() {
  run_threads([] { word[0] = 1; }, [] { word[1] = 1; }, [] { word[2] = 1; }, [] { word[3] = 1; },
              [] { word[4] = 1; },  // RACE: write 1
              [] { word[5] = 1; }, [] { word[6] = 1; }, [] { word[7] = 1; },
              [] { word[4] = 2; });  // RACE: write 1
  keep_object(word);
}
