// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A short string lives inside its object: assignment writes what another thread reads.
#include <string>
#include <thread>

#include "script.h"

std::string name = "anonymous";

int main() {
  std::jthread reader([] {
    keep(name[2]);  // RACE: read 1
    script_post(0);
  });
  script_wait(0);
  name[2] = 'x';  // RACE: write 1
}
