// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A statistic is written under the shared lock.
#include <shared_mutex>
#include <thread>

#include "script.h"

std::shared_mutex mutex;
long hits;

void look_up() {
  std::shared_lock lock(mutex);
  ++hits;  // RACE: read 8, write 8
}

int main() {
  { std::jthread first(look_up), second(look_up); }
  keep(hits);
}
