// Random BFJ programs: small enough to explore every schedule, rich enough to reach every rule.
#pragma once

#include <cstdint>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

struct GeneratorOptions {
  // Loops that need not end, halt, and calls that may not return.
  bool diverging = false;
};

// The same seed gives the same program. The program has no run-time errors by construction: objects
// are allocated up front, indices stay in range, locks are used in matching pairs in one order.
Program generate(std::uint64_t seed, const GeneratorOptions& options);

}  // namespace bigfoot::bfj
