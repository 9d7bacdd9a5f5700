// A lock of the run time itself. It orders the run time's own data and nothing of the program's;
// the monitor is told so that a detector that believes otherwise can be studied.
#pragma once

#include <condition_variable>
#include <mutex>

#include "frontends/bfj/vm/monitor.h"

namespace bigfoot::vm {

class SystemMutex {
 public:
  explicit SystemMutex(Monitor& monitor) : monitor_(monitor) {}

  // Holds the mutex while it lives.
  class Guard {
   public:
    Guard(SystemMutex& mutex, const Actor& who) : mutex_(mutex), who_(who), lock_(mutex.mutex_) {
      mutex_.monitor_.system_acquire(who_, &mutex_);
    }
    ~Guard() {
      if (lock_.owns_lock()) unlock();
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    void unlock() {
      mutex_.monitor_.system_release(who_, &mutex_);
      lock_.unlock();
    }
    template <class Condition>
    void wait(std::condition_variable& changed, Condition condition) {
      while (!condition()) {
        mutex_.monitor_.system_release(who_, &mutex_);
        changed.wait(lock_);
        mutex_.monitor_.system_acquire(who_, &mutex_);
      }
    }

   private:
    SystemMutex& mutex_;
    const Actor who_;
    std::unique_lock<std::mutex> lock_;
  };

 private:
  Monitor& monitor_;
  std::mutex mutex_;
};

}  // namespace bigfoot::vm
