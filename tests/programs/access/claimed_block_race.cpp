// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=test_no_claims=1 %run_racy %t

// An object that two threads hand to each other under a lock: each has its block to itself in turn. Then one of them
// uses it without the lock, while the other is at it.
#include <mutex>

#include "script.h"
#include "spawn.h"

struct alignas(64) Object {
  volatile long field[8];
};
Object* object;
std::mutex mutex;

int main() {
  object = new Object{};
  auto first = [] {
    for (int round = 0; round < 3; ++round) {
      script_wait(2 * round);
      const std::lock_guard guard(mutex);
      for (int i = 0; i < 4; ++i) object->field[i] = i;
      script_post(2 * round + 1);
    }
    script_wait(6);
    object->field[5] = 1;  // RACE: write 8
    script_post(7);
  };
  auto second = [] {
    script_post(0);
    for (int round = 0; round < 2; ++round) {
      script_wait(2 * round + 1);
      const std::lock_guard guard(mutex);
      for (int i = 2; i < 8; ++i) object->field[i] = i;
      script_post(2 * round + 2);
    }
    script_wait(5);
    const std::lock_guard guard(mutex);
    object->field[4] = 2;
    object->field[5] = 2;  // RACE: write 8
    script_post(6);
    script_wait(7);
    object->field[6] = 2;
  };
  run_threads(first, second);
}
