// Bad input of the user: one clear line and exit code 64 (EX_USAGE), before main has started.
#pragma once

#include "runtime/base/text.h"

namespace bigfoot::rt {

inline constexpr int kExitUsage = 64;

// Prints "bigfoot: <line>".
[[noreturn]] void usage_error(Text line);

}  // namespace bigfoot::rt
