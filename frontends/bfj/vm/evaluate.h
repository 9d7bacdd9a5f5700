// The value of an expression over the variables of a frame. Expressions neither allocate nor access
// the heap, so no collection comes in between.
#pragma once

#include "frontends/bfj/vm/green.h"

namespace bigfoot::vm {

// Nothing where the language has a run-time error: arithmetic on references, overflow, division by
// 0.
std::optional<Value> evaluate(const bfj::Expr& e, const Frame& frame, std::minstd_rand& choices);

}  // namespace bigfoot::vm
