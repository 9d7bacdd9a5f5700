// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// std::barrier with a completion function: phase by phase, the completion ordered between them.
#include <barrier>
#include <thread>

#include "script.h"

int main() {
  int cells[3] = {}, sum = 0;
  bool failed = false;
  auto add = [&]() noexcept { sum = cells[0] + cells[1] + cells[2]; };
  std::barrier barrier(3, add);
  std::jthread threads[3];
  for (int me = 0; me < 3; ++me)
    threads[me] = std::jthread([&, me] {
      for (int phase = 1; phase <= 10; ++phase) {
        cells[me] = phase;
        barrier.arrive_and_wait();
        if (me == 0 && sum != 3 * phase) failed = true;
        barrier.arrive_and_wait();
      }
    });
  for (auto& thread : threads) thread.join();
  return failed ? 1 : 0;
}
