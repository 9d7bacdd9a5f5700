// Stopping the world: workers that run program code enter it and look at safepoints whether
// somebody wants them out.
#pragma once

#include <atomic>

#include "frontends/bfj/vm/system_mutex.h"

namespace bigfoot::vm {

class World {
 public:
  explicit World(Monitor& monitor) : lock_(monitor) {}

  void enter(const Actor& who) {
    SystemMutex::Guard guard(lock_, who);
    guard.wait(changed_, [&] { return !stopped_; });
    ++inside_;
  }
  void leave(const Actor& who) {
    SystemMutex::Guard guard(lock_, who);
    --inside_;
    changed_.notify_all();
  }
  void safepoint(const Actor& who) {
    if (!wanted_.load(std::memory_order_relaxed)) return;
    leave(who);
    enter(who);
  }

  // REQUIRES: the caller is outside. Until resume() nobody is inside.
  void stop(const Actor& who) {
    SystemMutex::Guard guard(lock_, who);
    guard.wait(changed_, [&] { return !stopped_; });
    stopped_ = true;
    wanted_.store(true, std::memory_order_relaxed);
    guard.wait(changed_, [&] { return inside_ == 0; });
  }
  void resume(const Actor& who) {
    SystemMutex::Guard guard(lock_, who);
    stopped_ = false;
    wanted_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
  }

 private:
  SystemMutex lock_;  // guards the next three
  std::condition_variable changed_;
  std::uint32_t inside_ = 0;
  bool stopped_ = false;
  std::atomic<bool> wanted_ = false;
};

}  // namespace bigfoot::vm
