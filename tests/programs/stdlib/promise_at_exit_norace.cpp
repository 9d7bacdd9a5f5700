// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// TSAN: false alarm: the store in the C++ library is not seen

// A promise that is kept when its thread has destroyed its thread_local objects: whoever has waited
// for the future comes after the destructors.
#include <future>
#include <thread>
#include <utility>

#include "script.h"

static int destroyed;

struct Local {
  int used = 0;
  ~Local() { ++destroyed; }
};
static thread_local Local local;

static void keep_promise(std::promise<int> p) {
  local.used = 1;
  p.set_value_at_thread_exit(7);
}
static void break_promise(std::promise<int> p) {
  local.used = 1;
  p.set_exception_at_thread_exit(std::make_exception_ptr(1));
}
static void run_task(std::packaged_task<int()> task) {
  local.used = 1;
  task.make_ready_at_thread_exit();
}

int main() {
  for (int i = 0; i < 20; ++i) {
    std::promise<int> p;
    auto kept = p.get_future();
    std::thread t(keep_promise, std::move(p));
    keep(kept.get());  // the last reference to the shared state: here or at the end of the thread
    ++destroyed;
    t.join();
  }
  std::promise<int> p;
  auto broken = p.get_future();
  std::thread t(break_promise, std::move(p));
  try {
    keep(broken.get());
  } catch (int) {
    ++destroyed;
  }
  t.join();

  std::packaged_task<int()> task([] { return 1; });
  auto result = task.get_future();
  std::thread u(run_task, std::move(task));
  keep(result.get());
  ++destroyed;
  u.join();
  keep(destroyed);
}
