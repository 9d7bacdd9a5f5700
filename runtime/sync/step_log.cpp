#include "runtime/sync/step_log.h"

namespace bigfoot::rt {

u32 StepRing::copy(SyncStep* out, u64& lost) const {
  const u64 count = load_acquire(&count_);
  const u64 first = count < kSteps ? 0 : count - kSteps;
  for (u64 i = first; i < count; ++i) {
    const Entry& e = entries_[i % kSteps];
    const u64 tail = load_relaxed(&e.tail);
    out[i - first] = {load_relaxed(&e.time), load_relaxed(&e.clock), load_relaxed(&e.object),
                      Origin{static_cast<u32>(tail)}, StepKind(static_cast<u8>(tail >> 32))};
  }
  // What the owner has begun to write meanwhile lies where the oldest ones were. The fence also
  // makes a later belongs_to() see whether the ring was given to another thread.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  const u64 begun = load_relaxed(&begun_);
  const u64 intact = begun < kSteps ? 0 : begun - kSteps;
  const u64 damaged = intact <= first ? 0 : intact < count ? intact - first : count - first;
  const u32 kept = static_cast<u32>(count - first - damaged);
  for (u32 i = 0; damaged != 0 && i < kept; ++i) out[i] = out[i + damaged];
  lost = first + damaged;
  return kept;
}

StepRing* StepLog::take(ThreadId owner) {
  SpinGuard guard(lock_);
  u32 i = used_;
  if (free_ != 0) {
    i = free_ - 1;
    free_ = rings_[i].next_;
  } else if (used_ == kMaxRings) {
    return nullptr;
  } else {
    store_relaxed(&used_, used_ + 1);
  }
  StepRing& ring = rings_[i];
  store_relaxed(&ring.owner_, static_cast<u32>(kNoThread));
  // Who reads what follows also reads that the ring has changed hands.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  store_relaxed(&ring.begun_, u64{0});
  store_relaxed(&ring.count_, u64{0});
  store_release(&ring.owner_, static_cast<u32>(owner));
  return &ring;
}

void StepLog::retire(StepRing* ring) {
  if (ring == nullptr) return;
  SpinGuard guard(lock_);
  if (retired_count_ == kKeptRings) {
    StepRing& gone = rings_[retired_[oldest_]];
    store_relaxed(&gone.owner_, static_cast<u32>(kNoThread));
    gone.next_ = free_;
    free_ = retired_[oldest_] + 1;
    oldest_ = (oldest_ + 1) % kKeptRings;
    --retired_count_;
  }
  retired_[(oldest_ + retired_count_++) % kKeptRings] = static_cast<u32>(ring - rings_.data());
}

const StepRing* StepLog::find(ThreadId owner) const {
  for (u32 i = 0, n = load_relaxed(&used_); i < n; ++i)
    if (belongs_to(rings_[i], owner)) return &rings_[i];
  return nullptr;
}

}  // namespace bigfoot::rt
