// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// vector<bool> packs its elements into words: different elements are not different objects.
#include <thread>
#include <vector>

#include "script.h"

std::vector<bool> flags(64);

int main() {
  std::jthread first([] { flags[3] = true; });    // RACE: read 8, write 8
  std::jthread second([] { flags[40] = true; });  // RACE: read 8, write 8
}
