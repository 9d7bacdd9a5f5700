// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The data are written after the stop has been requested.
#include <stop_token>
#include <thread>

#include "script.h"

int data;

int main() {
  std::jthread worker([](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    script_wait(0);
    keep(data);  // RACE: read 4
  });
  worker.request_stop();
  data = 42;  // RACE: write 4
  script_post(0);
}
