// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The promise is kept before the thread ends: its thread_local objects are destroyed afterwards,
// and the future does not wait for that.
#include <future>
#include <thread>
#include <utility>

#include "script.h"

static int destroyed;

struct Local {
  int used = 0;
  ~Local() {
    destroyed = 1;  // RACE: write 4
    script_post(0);
  }
};
static thread_local Local local;

int main() {
  std::promise<int> p;
  auto result = p.get_future();
  std::thread t([&p] {
    local.used = 1;
    p.set_value(7);
  });
  keep(result.get());
  script_wait(0);
  destroyed = 2;  // RACE: write 4
  t.join();
  keep(destroyed);
}
