// Makes a failing program small.
#pragma once

#include <functional>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

// Greedily removes threads, statements and branches while `still_fails` holds. Programs that no
// longer parse (a break without its loop, say) are not offered.
Program shrink(const Program& program, const std::function<bool(const Program&)>& still_fails);

}  // namespace bigfoot::bfj
