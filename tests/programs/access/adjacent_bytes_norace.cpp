// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Eight threads write, read and write again the eight bytes of one word, each its own.
#include "script.h"
#include "spawn.h"

alignas(8) char word[8];

void own(int index) {
  for (int i = 0; i < 100; ++i) {
    word[index] = static_cast<char>(word[index] + 1);
    keep(word[index]);
  }
}

int main() {
  run_threads([] { own(0); }, [] { own(1); }, [] { own(2); }, [] { own(3); }, [] { own(4); },
              [] { own(5); }, [] { own(6); }, [] { own(7); });
  for (char byte : word) require(byte == 100);
}
