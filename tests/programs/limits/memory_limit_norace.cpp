// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: env BIGFOOT_OPTIONS="memory_limit_mb=16 array_shadow=off" %t > %t.out 2>&1
// RUN: %filecheck %s --input-file %t.out
// CHECK-NOT: WARNING
// CHECK: history of accesses was given up {{[0-9]+}} times to keep to memory_limit_mb

// Two threads sweep far more memory than the planes may hold shadow for; compressed, it would need
// none. What orders them is kept when history is given up, and blank history raises no alarm.
#include <atomic>
#include <cstddef>
#include <fstream>
#include <string>

#include "script.h"
#include "spawn.h"

constexpr std::size_t kWords = std::size_t{6} << 20;  // 48 MiB, twice as much of shadow
long words[kWords];
long published;
std::atomic<int> ready;

void sweep(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    words[i] = 1;
    keep_object(&words[i]);
  }
}

// The most memory that was ever resident, in megabytes.
long peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stol(line.substr(6)) / 1024;
  return 0;
}

int main() {
  run_threads(
      [] {
        published = 1;
        ready.store(1, std::memory_order_release);
        script_post(0);
        sweep(0, kWords / 2);
        script_wait(1);
        script_post(2);
      },
      [] {
        script_wait(0);
        sweep(kWords / 2, kWords);
        require(ready.load(std::memory_order_acquire) == 1);
        published = 2;
        script_post(1);
        script_wait(2);
      });
  // 48 of the program, 16 of shadow, and what the run time has besides: 144 and more without a
  // limit.
  require(peak_megabytes() < 48 + 16 + 48);
}
