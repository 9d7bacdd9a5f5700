// Stacks for Boost.Context and Boost.Fiber whose memory is new to whoever gets it next.
#pragma once

#include <bigfoot/lard.h>

#include <boost/context/stack_context.hpp>
#include <utility>

namespace bigfoot::detail {

template <class Base>
class ClearedStacks : public Base {
 public:
  ClearedStacks() = default;
  explicit ClearedStacks(Base base) : Base(std::move(base)) {}

  void deallocate(boost::context::stack_context& s) noexcept {
    bf_lard_clear(static_cast<char*>(s.sp) - s.size, s.size);
    Base::deallocate(s);
  }
};

}  // namespace bigfoot::detail
