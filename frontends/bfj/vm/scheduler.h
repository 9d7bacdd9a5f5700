// Who runs next: a queue of threads that are ready, and those that wait for something to change.
//
// A thread that cannot go on (a lock is taken, a thread to join has not ended) remembers the number
// of changes it has seen and is put aside; any unlock and any end is a change and makes all of them
// ready again. If there was a change in between, it is ready at once: no wake-up is lost.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "frontends/bfj/vm/green.h"
#include "frontends/bfj/vm/system_mutex.h"

namespace bigfoot::vm {

class Scheduler {
 public:
  // `always_migrate`: no thread goes on on the worker that ran it last. REQUIRES then: at least two
  // workers call next() until it returns null.
  explicit Scheduler(Monitor& monitor, bool always_migrate = false)
      : always_migrate_(always_migrate), lock_(monitor) {}

  // A new thread, which ready() lets run.
  Green& create(const Actor& who, std::uint64_t seed);
  void ready(const Actor& who, Green& green);

  // The next thread to run, which is the caller's from here on; null when there will be none.
  Green* next(const Actor& who);
  // The caller gives it back.
  void yielded(const Actor& who, Green& green);
  void blocked(const Actor& who, Green& green, std::uint64_t changes_seen);
  void ended(const Actor& who, Green& green);
  // The same, and nobody runs any more: the program as a whole cannot go on.
  void end_all(const Actor& who, Green& green);

  std::uint64_t changes(const Actor& who);
  void changed(const Actor& who);
  bool has_ended(const Actor& who, std::uint32_t thread);

  // REQUIRES of these: the world is stopped, or nobody runs any more.
  bool deadlocked() const { return deadlock_; }
  // How often a thread went on on another worker.
  std::uint64_t migrations() const { return migrations_; }
  const std::vector<std::unique_ptr<Green>>& greens() const { return greens_; }

 private:
  std::deque<Green*>::iterator ready_for(const Actor& who);
  void end(Green& green);
  void make_ready(Green& green);
  void wake_blocked();

  const bool always_migrate_;
  SystemMutex lock_;  // guards everything below
  std::condition_variable work_;
  std::vector<std::unique_ptr<Green>> greens_;
  std::deque<Green*> ready_;
  std::vector<Green*> blocked_;
  std::uint64_t changes_ = 0, migrations_ = 0;
  std::uint32_t unfinished_ = 0;
  std::uint32_t running_ = 0;
  bool deadlock_ = false;
  bool over_ = false;
};

}  // namespace bigfoot::vm
