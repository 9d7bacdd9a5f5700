// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %not %t.without

// docs/lard.md: a coroutine that goes on on another OS thread is one thread of the program. The executor
// that carries it there is untracked (here: the test's script); without the coroutine's identity its
// frame and all it writes seem to race with themselves.
#include <bigfoot/lard.h>

#include <coroutine>

#include "script.h"
#include "spawn.h"

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  bf_lard_thread thread = 0;

  // What has been done so far is before everything the coroutine does.
  void start() { thread = bf_lard_thread_create(0); }
  // By the executor, on any OS thread.
  void resume() {
#ifndef WITHOUT
    const bf_lard_thread home = bf_lard_thread_current();
    bf_lard_thread_switch(thread, BF_LARD_SAME_STACK);
#endif
    handle.resume();
#ifndef WITHOUT
    bf_lard_thread_switch(home, BF_LARD_SAME_STACK);
#endif
  }
};

int shared;
char finished;

Task count() {
  for (int i = 0; i < 2; ++i) {
    ++shared;
    if (i == 1) bf_lard_release(&finished);
    co_await std::suspend_always{};
  }
}

int main() {
  Task task = count();
  task.start();
  run_threads(
      [&] {
        task.resume();
        script_post(0);
      },
      [&] {
        script_wait(0);
        task.resume();
      });
  bf_lard_acquire(&finished);
  require(shared == 2);
  bf_lard_thread_destroy(task.thread);
}
