// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The count is thread-safe, the pointer itself is not: one thread copies it while another assigns
// it.
#include <memory>
#include <thread>

#include "script.h"

std::shared_ptr<int> current = std::make_shared<int>(1);

int main() {
  auto next = std::make_shared<int>(2);
  std::jthread writer([&] {
    current = next;  // RACE: write 8, read 8
    script_post(0);
  });
  std::jthread reader([] {
    script_wait(0);
    std::shared_ptr<int> mine = current;  // RACE: read 8
    keep(*mine);
  });
}
