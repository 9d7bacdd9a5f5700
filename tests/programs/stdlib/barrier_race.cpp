// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// arrive without wait: the thread does not know whether the others have come.
#include <barrier>
#include <thread>

#include "script.h"

int main() {
  std::barrier<> barrier(2);
  int cell = 0;
  std::jthread thread([&] {
    script_wait(0);
    cell = 1;  // RACE: write 4
    barrier.arrive_and_wait();
  });
  auto token = barrier.arrive();
  script_post(0);
  keep(cell);  // RACE: read 4
  barrier.wait(std::move(token));
}
