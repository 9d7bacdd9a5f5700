// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A map is looked up while another thread inserts.
#include <map>
#include <thread>

#include "script.h"

std::map<int, int> map = {{1, 1}, {2, 2}};

int main() {
  std::jthread writer([] {
    map[3] = 3;  // RACE: write 8
    script_post(0);
  });
  script_wait(0);
  keep(static_cast<long>(map.size()));  // RACE: read 8
}
