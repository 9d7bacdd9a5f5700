// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Copies of one shared_ptr in several threads: whoever drops the last one destroys the object,
// ordered after everybody's use of it.
#include <memory>
#include <thread>

#include "script.h"

struct Buffer {
  int values[4] = {};
  ~Buffer() { keep(values[0] + values[1] + values[2] + values[3]); }
};

int main() {
  for (int round = 0; round < 20; ++round) {
    auto buffer = std::make_shared<Buffer>();
    std::jthread threads[4];
    for (int i = 0; i < 4; ++i) threads[i] = std::jthread([i, buffer] { buffer->values[i] = i; });
    buffer.reset();
  }
}
