// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The slot is filled after the semaphore has been released.
#include <semaphore>
#include <thread>

#include "script.h"

std::binary_semaphore filled(0);
int slot;

int main() {
  std::jthread producer([] {
    filled.release();
    slot = 1;  // RACE: write 4
  });
  filled.acquire();
  keep(slot);  // RACE: read 4
}
