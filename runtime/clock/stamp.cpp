#include "runtime/clock/stamp.h"

#include "runtime/base/string.h"

namespace bigfoot::rt {

Stamp StampTable::open(Slot slot, Clock clock) {
  SpinGuard guard(lock_);
  u32 chunk = free_;
  if (chunk != 0) {
    free_ = chunks_[chunk].next_free;
  } else if (next_ <= limit_) {
    chunk = next_++;
  } else {
    return kNoStamp;
  }
  store_relaxed(&left_, left_ - 1);
  chunks_[chunk] = {clock, slot, 0, true, false, false};
  return Stamp{chunk << kOffsetBits};
}

u32 StampTable::Marks::count() const {
  u32 n = 0;
  for (usize i = 0; i < kMarkWords; ++i) n += static_cast<u32>(__builtin_popcountll(words_[i]));
  return n;
}

void StampTable::sweep() {
  SpinGuard guard(lock_);
  free_ = 0;
  u32 given_back = 0;
  for (u32 i = next_ - 1; i >= kFirstChunk; --i) {
    Chunk& c = chunks_[i];
    bool keep = c.open || c.marked;
    if (c.marked) zero_bytes(&marks_[i * kMarkWords], kMarkWords * sizeof(u64));
    c.marked = false;
    c.free = !keep;
    if (keep) continue;
    c.next_free = free_;
    free_ = i;
    ++given_back;
  }
  store_relaxed(&left_, limit_ + 1 - next_ + given_back);
}

void StampTable::set_limit(u32 chunks) {
  limit_ = kFirstChunk + chunks - 1;
  left_ = chunks;
}

}  // namespace bigfoot::rt
