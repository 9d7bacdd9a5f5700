// Boost.Fiber programs checked by fiber, with Boost's own library as it is.
//
// Fibers are threads to the program: what two of them do is ordered only by what they wait for. To
// a detector they are what some OS thread does, one after the other. Three lines make it right:
//
//   boost::fibers::use_scheduling_algorithm<bigfoot::fibers::checked<boost::fibers::algo::round_robin>>();
//   bigfoot::fibers::fiber f(work);       // instead of boost::fibers::fiber
//   bigfoot::fibers::mutex m;             // instead of boost::fibers::mutex
//
// on every OS thread that runs fibers, before its first one; included before Boost's own headers.
// The algorithm may be any of Boost's or your own; its parameters are passed on.
// boost::fibers::condition_variable_any works with the mutex. For other synchronisation (channels,
// futures) say bf_lard_release before and bf_lard_acquire after it. Fibers are launched by
// launch::post. Without the detector all of this does what Boost's own does.
#pragma once

#include <bigfoot/detail/boost_stacks.h>
#include <bigfoot/lard.h>

// Boost's own code in its headers is not the program's, and some of it runs between two fibers.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("thread"))), apply_to = function)
#endif
#include <boost/fiber/all.hpp>
#ifdef __clang__
#pragma clang attribute pop
#endif
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace bigfoot::fibers {
namespace detail {

// Which logical thread each context is. The scheduler's data is the scheduler's business: every
// function is one untracked region.
class Identities {
 public:
  static Identities& all() {
    static Identities identities;
    return identities;
  }

  // A context that becomes ready for the first time is created by whoever runs here.
  void awakened(boost::fibers::context* c, bf_lard_thread home) {
    lard::Untracked region;
    std::lock_guard<std::mutex> guard(lock_);
    if (threads_.count(c) != 0) return;
    const bool main = c->is_context(boost::fibers::type::main_context);
    const bool dispatcher = c->is_context(boost::fibers::type::dispatcher_context);
    threads_[c] = {main ? home : bf_lard_thread_create(0), dispatcher,
                   main || dispatcher ? home : 0};
  }
  // The OS thread `home` has run its last fiber: its main context and its dispatcher end.
  void leaving(bf_lard_thread home) {
    lard::Untracked region;
    std::lock_guard<std::mutex> guard(lock_);
    for (auto i = threads_.begin(); i != threads_.end();) {
      if (i->second.belongs_to != home) {
        ++i;
        continue;
      }
      if (i->second.thread != home) end_dispatcher(i->second, home);
      i = threads_.erase(i);
    }
  }
  // The calling fiber ends; its context may be used for another one.
  void ending() {
    lard::Untracked region;
    std::lock_guard<std::mutex> guard(lock_);
    threads_.erase(boost::fibers::context::active());
    ended_here() = bf_lard_thread_current();
  }
  // Another context takes over on this OS thread. Not instrumented: it begins as one logical thread
  // and ends as another, on the stack of the first.
  __attribute__((no_sanitize("thread"))) void switching(boost::fibers::context* next) {
    Identity identity;
    bf_lard_thread gone = 0;
    {
      lard::Untracked region;
      std::lock_guard<std::mutex> guard(lock_);
      identity = threads_[next];
      threads_[next].is_new_dispatcher = false;
      gone = std::exchange(ended_here(), 0);
    }
    if (gone != 0) bf_lard_untracked_end(BF_LARD_ALL);  // its last step, see fiber
    bf_lard_thread_switch(identity.thread, BF_LARD_UNORDERED);
    // The dispatcher runs fibers and cleans up after them; nothing it does is the program's.
    if (identity.is_new_dispatcher) bf_lard_untracked_begin(BF_LARD_ALL);
    if (gone != 0) bf_lard_thread_destroy(gone);
  }

 private:
  struct Identity {
    bf_lard_thread thread = 0;
    bool is_new_dispatcher = false;
    bf_lard_thread belongs_to = 0;  // the OS thread, for contexts that are its own
  };
  // The region it has been in since it began is ended by whoever runs as it.
  __attribute__((no_sanitize("thread"))) static void end_dispatcher(const Identity& dispatcher,
                                                                    bf_lard_thread home) {
    if (!dispatcher.is_new_dispatcher) {
      bf_lard_thread_switch(dispatcher.thread, BF_LARD_SAME_STACK);
      bf_lard_untracked_end(BF_LARD_ALL);
      bf_lard_thread_switch(home, BF_LARD_SAME_STACK);
    }
    bf_lard_thread_destroy(dispatcher.thread);
  }
  static bf_lard_thread& ended_here() {
    thread_local bf_lard_thread ended = 0;
    return ended;
  }
  std::mutex lock_;
  std::map<boost::fibers::context*, Identity> threads_;
};

}  // namespace detail

// A scheduling algorithm that says which fiber runs.
template <class Algorithm>
class checked final : public boost::fibers::algo::algorithm {
 public:
  template <class... Arguments>
  explicit checked(Arguments&&... arguments)
      : algorithm_(new Algorithm(std::forward<Arguments>(arguments)...)),
        home_(bf_lard_thread_current()) {}

  // The library goes back to the main context by itself when the OS thread ends.
  __attribute__((no_sanitize("thread"))) ~checked() override {
    bf_lard_thread_switch(home_, BF_LARD_UNORDERED);
    detail::Identities::all().leaving(home_);
  }

  void awakened(boost::fibers::context* c) noexcept override {
    lard::Untracked region;
    detail::Identities::all().awakened(c, home_);
    algorithm_->awakened(c);
  }
  __attribute__((no_sanitize("thread"))) boost::fibers::context* pick_next() noexcept override {
    boost::fibers::context* next = nullptr;
    {
      lard::Untracked region;
      next = algorithm_->pick_next();
    }
    if (next != nullptr) detail::Identities::all().switching(next);
    return next;
  }
  bool has_ready_fibers() const noexcept override {
    lard::Untracked region;
    return algorithm_->has_ready_fibers();
  }
  void suspend_until(std::chrono::steady_clock::time_point const& time) noexcept override {
    lard::Untracked region;
    algorithm_->suspend_until(time);
  }
  void notify() noexcept override {
    lard::Untracked region;
    algorithm_->notify();
  }

 private:
  boost::fibers::algo::algorithm::ptr_t algorithm_;
  const bf_lard_thread home_;
};

class fiber {
 public:
  fiber() = default;
  template <class Function, class... Arguments>
  explicit fiber(Function function, Arguments... arguments)
      : end_(std::make_shared<char>()),
        fiber_(
            std::allocator_arg, bigfoot::detail::ClearedStacks<boost::fibers::default_stack>(),
            [end = end_, function = std::move(function)](auto&&... a) mutable {
              function(std::move(a)...);
              bf_lard_release(end.get());
              // What is left to do for this fiber is the library's.
              bf_lard_untracked_begin(BF_LARD_ALL);
              detail::Identities::all().ending();
            },
            std::move(arguments)...) {}

  bool joinable() const noexcept { return fiber_.joinable(); }
  boost::fibers::fiber::id get_id() const noexcept { return fiber_.get_id(); }
  void join() {
    {
      lard::Untracked region;
      fiber_.join();
    }
    bf_lard_acquire(end_.get());
  }
  void detach() { fiber_.detach(); }

 private:
  std::shared_ptr<char> end_;  // its address stands for the fiber's end
  boost::fibers::fiber fiber_;
};

class mutex {
 public:
  void lock() {
    {
      lard::Untracked region;
      mutex_.lock();
    }
    bf_lard_acquire(this);
  }
  bool try_lock() {
    bool locked = false;
    {
      lard::Untracked region;
      locked = mutex_.try_lock();
    }
    if (locked) bf_lard_acquire(this);
    return locked;
  }
  void unlock() {
    bf_lard_release(this);
    lard::Untracked region;
    mutex_.unlock();
  }

 private:
  boost::fibers::mutex mutex_;
};

}  // namespace bigfoot::fibers
