#include "runtime/context/thread_table.h"

namespace bigfoot::rt {

bool ThreadTable::all_ended(u32 page) const {
  for (u32 i = page * kPerPage; i < (page + 1) * kPerPage; ++i) {
    const ThreadRecord& r = records_[i];
    const bool ended = r.finished && r.thread == nullptr && r.final_clock == nullptr;
    if (!ended || !(r.joined || r.detached || r.is_fiber || r.os_id == 0)) return false;
  }
  return true;
}

// The last page is still being filled.
void ThreadTable::forget_others(u32 count) {
  for (u32 page = 0; page < count / kPerPage; ++page) {
    Page& p = pages_[page];
    if (!p.given_up && !p.kept && all_ended(page)) {
      sys::discard_pages(&records_[page * kPerPage], sys::kPageBytes);
      p.given_up = true;
    }
    p.kept = false;
  }
}

}  // namespace bigfoot::rt
