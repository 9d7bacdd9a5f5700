// Random programs have no habits, and so no shadow proxies: every field and element is now and then
// accessed alone. This gives a program some: fields that are used together, arrays that are walked
// in one way.
#pragma once

#include <cstdint>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

// A program of generate() with habits added, the same for the same seed. Some programs break one of
// theirs in a place or two. Some threads get an array of their own.
Program with_habits(const Program& program, std::uint64_t seed);

}  // namespace bigfoot::bfj
