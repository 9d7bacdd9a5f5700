// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The result of async is asked for too late.
#include <future>

#include "script.h"

long total;

int main() {
  auto sum = std::async(std::launch::async, [] { total += 1; });  // RACE: read 8, write 8
  keep(total);                                                    // RACE: read 8
  sum.get();
}
