// What instrumented code calls when its inlined test did not settle an access.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

template <unsigned G, bool kWrites>
void slow_access(uptr a, Pc pc);

}  // namespace bigfoot::rt
