// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// counting_semaphore and binary_semaphore: release is ordered before the acquire that takes it.
#include <chrono>
#include <semaphore>
#include <thread>

#include "script.h"

std::counting_semaphore<8> filled(0), empty(2);
std::binary_semaphore done(0);
int slots[2], sum;

int main() {
  std::jthread consumer([] {
    for (int i = 0; i < 50; ++i) {
      filled.acquire();
      sum += slots[i % 2];
      empty.release();
    }
    done.release();
  });
  for (int i = 0; i < 50; ++i) {
    while (!empty.try_acquire()) std::this_thread::yield();
    slots[i % 2] = i;
    filled.release();
  }
  done.acquire();
  return sum == 49 * 25 ? 0 : 1;
}
