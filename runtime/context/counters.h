// The counters of builds that count accesses and checks (abi::AccessCounters), over all threads.
#pragma once

#include "abi/layout.h"

namespace bigfoot::rt {

// Every OS thread counts on its own while it is attached; what it counted stays when it ends.
void counters_attach();
void counters_detach();
void counters_forked_child();  // only the calling thread goes on

// All zero unless the program was built with --bigfoot-count. Threads that still run are read as
// they go, so their last few increments may be missing.
abi::AccessCounters counter_totals();

}  // namespace bigfoot::rt
