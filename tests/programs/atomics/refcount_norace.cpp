// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// The textbook reference count: release on every decrement, acquire before the teardown.
#include <atomic>

#include "script.h"
#include "spawn.h"

struct Buffer {
  std::atomic<int> users = 3;
  int values[3] = {};
};

void drop(Buffer* buffer, int index) {
  buffer->values[index] = index;
  if (buffer->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete buffer;
}

int main() {
  for (int round = 0; round < 50; ++round) {
    auto* buffer = new Buffer;
    run_threads([=] { drop(buffer, 0); }, [=] { drop(buffer, 1); }, [=] { drop(buffer, 2); });
  }
}
