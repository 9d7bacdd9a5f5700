#include "runtime/clock/stamp.h"

namespace bigfoot::rt {

Stamp StampTable::open(Slot slot, Clock clock) {
  SpinGuard guard(lock_);
  u32 chunk = free_;
  if (chunk != 0) {
    free_ = chunks_[chunk].next_free;
  } else if (next_ <= limit_) {
    chunk = next_;
    store_relaxed(&next_, chunk + 1);
  } else {
    return kNoStamp;
  }
  Chunk& c = chunks_[chunk];
  c.base = clock;
  c.slot = slot;
  c.next_free = 0;
  return Stamp{chunk << kOffsetBits};
}

void StampTable::give_back(u32 chunk) {
  SpinGuard guard(lock_);
  chunks_[chunk].next_free = free_;
  free_ = chunk;
}

}  // namespace bigfoot::rt
