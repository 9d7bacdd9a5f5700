// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: env BIGFOOT_OPTIONS="memory_limit_mb=16 array_shadow=off" %run_racy %t

// Two threads sweep far more memory than the planes may hold shadow for. What was done before
// history is given up is forgotten; what is done after it is not, and an atomic still orders.
#include <atomic>
#include <cstddef>

#include "script.h"
#include "spawn.h"

constexpr std::size_t kWords = std::size_t{6} << 20;  // 48 MiB, twice as much of shadow
long words[kWords];
long published, raced;
struct {
  int x, y;
} fields[100];
std::atomic<int> ready;

void sweep(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    words[i] = 1;
    keep_object(&words[i]);
  }
}

__attribute__((noinline)) void look() {
  long sum = 0;
  for (const auto& f : fields) sum += f.x;  // RACE: range read 4
  keep(sum);
}

int main() {
  run_threads(
      [] {
        script_wait(3);
        published = 1;
        ready.store(1, std::memory_order_release);
        script_post(0);
        sweep(0, kWords / 2);
        script_wait(1);
        raced = 1;                       // RACE: single write 8
        for (auto& f : fields) f.x = 1;  // RACE: range write 4
        keep_object(fields);
        script_post(2);
      },
      [] {
        script_wait(0);
        sweep(kWords / 2, kWords);
        require(ready.load(std::memory_order_acquire) == 1);
        published = 2;
        script_post(1);
        script_wait(2);
        raced = 2;  // RACE: single write 8
      },
      [] {
        look();
        script_post(3);
        script_wait(2);
        look();  // in the same epoch as before, whose history is gone
      });
}
