// Threads that do what a state of memory needs, and how they hand over.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace parity {

// Counts threads that have come to a point, in assembly: who waits for them learns nothing of what
// they did, as far as a detector can tell. For accesses that are concurrent but come in an order.
class UnseenCount {
 public:
  void add_one() {
    asm volatile("lock incl %0" : "+m"(count_)::"memory");
    call(FUTEX_WAKE_PRIVATE, 1);
  }
  // For those who only look.
  void tick() { asm volatile("lock incl %0" : "+m"(count_)::"memory"); }
  void wait_for(int wanted) {
    for (int now = load(); now < wanted; now = load()) call(FUTEX_WAIT_PRIVATE, now);
  }
  int load() {
    int now;
    asm volatile("movl %1, %0" : "=r"(now) : "m"(count_) : "memory");
    return now;
  }

 private:
  void call(long operation, long value) {
    long result = SYS_futex;
    register long no_timeout asm("r10") = 0;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(&count_), "S"(operation), "d"(value), "r"(no_timeout)
                 : "rcx", "r11", "memory");
  }

  alignas(64) int count_ = 0;
};

// A thread that does one job at a time. Each has a lock of its own: two helpers learn nothing of
// each other, the main thread learns of both.
class Helper {
 public:
  Helper() : thread_([this] { work(); }) {}
  ~Helper() {
    begin(nullptr);
    thread_.join();
  }
  // REQUIRES: the job before was awaited. An empty job is the last one.
  void begin(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    busy_ = true;
    changed_.notify_all();
  }
  void await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return busy_; });
      if (!job_) return;
      lock.unlock();
      job_();
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;
  bool busy_ = false;
  std::thread thread_;  // after what it uses
};

class Helpers {
 public:
  // They live until the end: a detector may do less in a program with one thread.
  Helpers() { need(1); }
  void need(std::size_t count) {
    while (all_.size() < count) all_.emplace_back();
  }
  void begin(std::size_t count, const std::function<void()>& job) {
    need(count);
    for (std::size_t i = 0; i < count; ++i) all_[i].begin(job);
  }
  void await(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) all_[i].await();
  }
  void run(std::size_t count, const std::function<void()>& job) {
    begin(count, job);
    await(count);
  }

 private:
  std::deque<Helper> all_;
};

}  // namespace parity
