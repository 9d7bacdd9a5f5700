// Whole numbers.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

// gcd(a, 0) == a.
constexpr u64 gcd(u64 a, u64 b) {
  while (b != 0) {
    const u64 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
// REQUIRES: neither is 0.
constexpr u64 lcm(u64 a, u64 b) {
  return a / gcd(a, b) * b;
}

}  // namespace bigfoot::rt
