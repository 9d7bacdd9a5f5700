// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A reference count decremented with relaxed order: whoever comes to zero tears the object down
// while the other thread's last use is not ordered before that.
#include <atomic>

#include "script.h"
#include "spawn.h"

struct Buffer {
  std::atomic<int> users = 2;
  int last_value = 0;
} buffer;

int main() {
  run_threads(
      [] {
        buffer.last_value = 1;  // RACE: write 4
        buffer.users.fetch_sub(1, std::memory_order_relaxed);
        script_post(0);
      },
      [] {
        script_wait(0);
        require(buffer.users.fetch_sub(1, std::memory_order_relaxed) == 1);
        buffer.last_value = -1;  // RACE: write 4
      });
  keep_object(&buffer);
}
