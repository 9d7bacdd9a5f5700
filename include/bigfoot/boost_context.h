// Boost.Context programs checked by context, with Boost's own library as it is.
//
//   #include <bigfoot/boost_context.h>        before Boost's own headers
//   bigfoot::context::fiber f(function);      instead of boost::context::fiber
//   f = std::move(f).resume();                as there
//
// Every context is a logical thread, whatever OS thread resumes it. To resume another context is
// the program's own step: what was done before it is before what the other does, as with
// <ucontext.h>. For a scheduler, who runs next means nothing: it says
// resume(bigfoot::context::kUnordered), and what its contexts do is ordered only by what they wait
// for (bf_lard_release, bf_lard_acquire). Without the detector all of this does what Boost's own
// does.
#pragma once

#include <bigfoot/detail/boost_stacks.h>
#include <bigfoot/lard.h>

// Nothing here is instrumented: a function that goes from one context to another begins as the one
// and ends as the other. What it calls may be (std::swap and the like), hence the untracked
// regions.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("thread"))), apply_to = function)
#endif
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <memory>
#include <utility>

namespace bigfoot::context {

enum Order : unsigned { kUnordered = BF_LARD_UNORDERED, kOrdered = BF_LARD_ORDERED };

namespace detail {

// What the context that leaves an OS thread tells the one that arrives there.
struct Departure {
  bf_lard_thread from = 0;   // who left; 0: it has ended
  bf_lard_thread ended = 0;  // who has ended
  Order order = kOrdered;
  bool is_over = false;  // who left is in an untracked region since it did its last step
};
// Not inlined: a context may come back on another OS thread, whose variable is another one.
__attribute__((noinline)) inline Departure& departure() {
  static thread_local Departure latest;
  return latest;
}

// The logical thread `me` runs here from now on.
inline void arrive(bf_lard_thread me) {
  Departure& latest = departure();
  if (latest.is_over) bf_lard_untracked_end(BF_LARD_ALL);
  latest.is_over = false;
  bf_lard_thread_switch(me, latest.order);
  if (latest.ended != 0) bf_lard_thread_destroy(latest.ended);
  latest.ended = 0;
}

// Around Boost's own switch. The one who leaves is untracked until it is back, also where Boost
// unwinds it.
class Passage {
 public:
  explicit Passage(Order order) : me_(bf_lard_thread_current()) {
    departure() = {me_, 0, order, false};
    bf_lard_untracked_begin(BF_LARD_ALL);
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  ~Passage() {
    arrive(me_);
    bf_lard_untracked_end(BF_LARD_ALL);
  }

 private:
  const bf_lard_thread me_;
};

}  // namespace detail

class fiber {
 public:
  fiber() noexcept = default;
  template <class Function>
  explicit fiber(Function&& function)
      : fiber(std::allocator_arg, boost::context::fixedsize_stack(),
              std::forward<Function>(function)) {}
  template <class StackAllocator, class Function>
  fiber(std::allocator_arg_t, StackAllocator stacks, Function&& function)
      : thread_(bf_lard_thread_create(0)) {
    lard::Untracked region;
    fiber_ = boost::context::fiber(
        std::allocator_arg, bigfoot::detail::ClearedStacks<StackAllocator>(std::move(stacks)),
        Body<std::decay_t<Function>>{std::forward<Function>(function), thread_});
  }
  fiber(fiber&& other) noexcept { take(other); }
  fiber& operator=(fiber&& other) noexcept {
    fiber old(std::move(*this));
    take(other);
    return *this;
  }
  // Boost unwinds a context that has not ended: its destructors run as the context they are of.
  ~fiber() {
    if (!fiber_) return;
    {
      detail::Passage passage(kOrdered);
      fiber_ = boost::context::fiber();
    }
    bf_lard_thread_destroy(thread_);
  }

  explicit operator bool() const noexcept { return static_cast<bool>(fiber_); }
  bool operator!() const noexcept { return !fiber_; }

  // Goes to the context; returns the one that comes back here, empty if it has ended.
  fiber resume(Order order = kOrdered) && {
    fiber from;
    {
      detail::Passage passage(order);
      from.fiber_ = std::move(fiber_).resume();
      from.thread_ = detail::departure().from;
    }
    return from;
  }

 private:
  // What runs on the new stack: the function, then the way to the context that it returns.
  template <class Function>
  struct Body {
    Function function;
    bf_lard_thread me;

    boost::context::fiber operator()(boost::context::fiber&& boosts) {
      fiber from;
      from.fiber_ = std::move(boosts);
      from.thread_ = detail::departure().from;
      detail::arrive(me);
      try {
        fiber next = run(std::move(from));
        bf_lard_untracked_begin(BF_LARD_ALL);  // what is left to do is Boost's
        detail::departure() = {0, me, kOrdered, true};
        return std::move(next.fiber_);
      } catch (...) {  // it was dropped; who drops it ends it
        bf_lard_untracked_begin(BF_LARD_ALL);
        detail::departure().is_over = true;
        throw;
      }
    }
    // The function's own data ends with it, not when Boost frees the stack.
    fiber run(fiber from) {
      Function own = std::move(function);
      return own(std::move(from));
    }
  };

  void take(fiber& other) noexcept {
    lard::Untracked region;
    fiber_ = std::move(other.fiber_);
    thread_ = other.thread_;
    other.thread_ = 0;
  }

  boost::context::fiber fiber_;
  bf_lard_thread thread_ = 0;
};

}  // namespace bigfoot::context

#ifdef __clang__
#pragma clang attribute pop
#endif
