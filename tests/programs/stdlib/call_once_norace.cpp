// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// std::call_once: the one call is ordered before every return.
#include <mutex>
#include <thread>

#include "script.h"

std::once_flag once;
int table[4];

void initialise() {
  for (int i = 0; i < 4; ++i) table[i] = i;
}

void use() {
  std::call_once(once, initialise);
  if (table[3] != 3) _Exit(1);
}

int main() {
  std::jthread threads[3];
  for (auto& thread : threads) thread = std::jthread(use);
}
