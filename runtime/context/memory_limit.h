// The option memory_limit_mb: a cap on the memory of the planes.
//
// When the planes hold more, all history is given up: cells become blank, as if nothing had been
// accessed so far. Blank cells give no false alarms; a race of a later access with an earlier one
// is missed, which the closing line and the JSON output say. What orders threads (clocks, locks,
// atomics) is kept. How much the planes hold is asked after every 4 MiB by which they may have
// grown, and history is given up before the access that follows: one long range can go beyond the
// cap.
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/types.h"

namespace bigfoot::rt {

// Reads the option.
void initialise_memory_limit();

namespace detail {
inline constinit bool memory_is_limited = false;
inline constinit u32 memory_limit_is_reached = 0;
void count_growth(usize pages);
}  // namespace detail

// The full path is about to make a record, for which this many pages may come.
inline void note_shadow_growth(usize pages) {
  if (detail::memory_is_limited) [[unlikely]]
    detail::count_growth(pages);
}
// The planes hold more than they may.
inline bool memory_limit_reached() {
  return load_relaxed(&detail::memory_limit_is_reached) != 0;
}
// REQUIRES: no other thread is inside the run time.
void give_up_history();

}  // namespace bigfoot::rt
