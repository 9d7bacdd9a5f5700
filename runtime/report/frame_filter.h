// Which ends of a stack the user does not want to see: the run time's own functions on top, and
// what calls main or a thread's function at the bottom.
#pragma once

#include "runtime/report/resolved.h"

namespace bigfoot::rt::report {

// Cuts both ends; a stack that would become empty is left alone.
ResolvedStack trimmed(ResolvedStack stack);

}  // namespace bigfoot::rt::report
