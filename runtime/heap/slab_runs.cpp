#include "runtime/heap/slab_runs.h"

#include "runtime/base/check.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt::heap {

SlabRuns slab_runs;

// --- bins ----------------------------------------------------------------------------------------

u32 RunBins::bin_of(u32 slabs) {
  if (slabs <= kExactBins) return slabs - 1;
  return kExactBins + (31 - static_cast<u32>(__builtin_clz(slabs))) -
         5;  // 33..63 -> 32, 64.. -> 33
}

void RunBins::insert(SlabIndex first, u32 slabs) {
  u32 b = bin_of(slabs);
  SlabIndex head{heads_[b] - 1};  // 0 - 1 is kNoSlab
  stretch[first].next = head;
  stretch[first].prev = kNoSlab;
  if (head != kNoSlab) stretch[head].prev = first;
  heads_[b] = raw(first) + 1;
  occupied_ |= u64{1} << b;
}

void RunBins::remove(SlabIndex first, u32 slabs) {
  u32 b = bin_of(slabs);
  const Slab& s = stretch[first];
  if (s.next != kNoSlab) stretch[s.next].prev = s.prev;
  if (s.prev != kNoSlab)
    stretch[s.prev].next = s.next;
  else
    heads_[b] = raw(s.next) + 1;
  if (heads_[b] == 0) occupied_ &= ~(u64{1} << b);
}

SlabIndex RunBins::find(u32 slabs) const {
  u32 b = bin_of(slabs);
  for (SlabIndex s{heads_[b] - 1}; s != kNoSlab; s = stretch[s].next)
    if (stretch[s].run_slabs >= slabs) return s;
  u64 larger = b + 1 < 64 ? occupied_ >> (b + 1) << (b + 1) : 0;
  if (larger == 0) return kNoSlab;
  return SlabIndex{heads_[__builtin_ctzll(larger)] - 1};
}

SlabIndex RunBins::find_largest_bin() const {
  if (occupied_ == 0) return kNoSlab;
  return SlabIndex{heads_[63 - __builtin_clzll(occupied_)] - 1};
}

// --- runs (callers hold the lock) ----------------------------------------------------------------

Run SlabRuns::take_from(RunBins& from, RunState state, u32 slabs) {
  SlabIndex first = from.find(slabs);
  if (first == kNoSlab) return {};
  u32 found = stretch[first].run_slabs;
  from.remove(first, found);
  if (state == RunState::kFreeDirty) dirty_slabs_ -= found;
  stretch[first].state = RunState::kInUse;
  stretch[first + (slabs - 1)].state = RunState::kInUse;
  used_slabs_ += slabs;
  if (found > slabs) put(first + slabs, found - slabs, state);
  return {first, slabs, state == RunState::kFreeClean};
}

Run SlabRuns::take_fresh(u32 slabs) {
  if (stretch.slab_count() - frontier_ < slabs) return {};
  SlabIndex first{frontier_};
  frontier_ += slabs;
  used_slabs_ += slabs;
  return {first, slabs, true};  // descriptors are zero: RunState::kInUse
}

Run SlabRuns::take(u32 slabs) {
  if (Run r = take_from(dirty_, RunState::kFreeDirty, slabs); !r.empty()) return r;
  if (Run r = take_from(clean_, RunState::kFreeClean, slabs); !r.empty()) return r;
  return take_fresh(slabs);
}

void SlabRuns::put(SlabIndex first, u32 slabs, RunState state) {
  if (state == RunState::kFreeDirty) dirty_slabs_ += slabs;
  RunBins& to = bins(state);
  if (raw(first) > 0 && stretch[first - 1].state == state) {
    SlabIndex before = stretch[first - 1].run_first;
    u32 n = stretch[before].run_slabs;
    to.remove(before, n);
    first = before;
    slabs += n;
  }
  SlabIndex after = first + slabs;
  if (raw(after) < frontier_ && stretch[after].state == state) {
    u32 n = stretch[after].run_slabs;
    to.remove(after, n);
    slabs += n;
  }
  SlabIndex last = first + (slabs - 1);
  stretch[first].state = stretch[last].state = state;
  stretch[first].run_slabs = slabs;
  stretch[last].run_first = first;
  to.insert(first, slabs);
}

Run SlabRuns::take_excess_dirty() {
  if (dirty_slabs_ <= kMaxDirtySlabs) return {};
  SlabIndex first = dirty_.find_largest_bin();
  BF_CHECK(first != kNoSlab);
  return take_from(dirty_, RunState::kFreeDirty, stretch[first].run_slabs);
}

// --- the interface -------------------------------------------------------------------------------

namespace {
void discard(const Run& r) {
  sys::discard_pages(reinterpret_cast<void*>(stretch.start_of(r.first)), r.slabs * kSlabBytes);
}
}  // namespace

void SlabRuns::free(SlabIndex first, u32 slabs) {
  Run excess;
  {
    SpinGuard guard(lock_);
    used_slabs_ -= slabs;
    put(first, slabs, RunState::kFreeDirty);
    excess = take_excess_dirty();
  }
  while (!excess.empty()) {
    discard(excess);  // nobody else knows this run now, so the lock is not needed
    SpinGuard guard(lock_);
    used_slabs_ -= excess.slabs;
    put(excess.first, excess.slabs, RunState::kFreeClean);
    excess = take_excess_dirty();
  }
}

// The last resort of a full stretch: dirty and clean neighbours merge only when both are clean.
bool SlabRuns::discard_all_dirty() {
  bool any = false;
  for (SlabIndex s = dirty_.find_largest_bin(); s != kNoSlab; s = dirty_.find_largest_bin()) {
    Run r = take_from(dirty_, RunState::kFreeDirty, stretch[s].run_slabs);
    discard(r);
    used_slabs_ -= r.slabs;
    put(r.first, r.slabs, RunState::kFreeClean);
    any = true;
  }
  return any;
}

Run SlabRuns::allocate(u32 slabs, u32 align_slabs) {
  u32 padded = slabs + (align_slabs - 1);
  if (padded < slabs || padded > stretch.slab_count()) return {};
  Run r;
  SpinGuard guard(lock_);
  r = take(padded);
  if (r.empty() && discard_all_dirty()) r = take(padded);
  if (r.empty() || padded == slabs) return r;
  // Alignment is one of addresses; the stretch itself is only aligned to a slab.
  uptr align = uptr{align_slabs} << kSlabBits;
  uptr start = stretch.start_of(r.first);
  u32 skip = static_cast<u32>((((start + align - 1) & ~(align - 1)) - start) >> kSlabBits);
  u32 rest = padded - slabs - skip;
  RunState state = r.clean ? RunState::kFreeClean : RunState::kFreeDirty;
  used_slabs_ -= padded - slabs;
  SlabIndex first = r.first + skip;
  stretch[first].state = stretch[first + (slabs - 1)].state = RunState::kInUse;
  if (skip > 0) put(r.first, skip, state);
  if (rest > 0) put(first + slabs, rest, state);
  return {first, slabs, r.clean};
}

usize SlabRuns::occupied_slabs() {
  SpinGuard guard(lock_);
  return usize{used_slabs_} + dirty_slabs_;
}

SlabIndex SlabRuns::frontier() {
  SpinGuard guard(lock_);
  return SlabIndex{frontier_};
}

bool SlabRuns::is_valid() {
  SpinGuard guard(lock_);
  usize dirty = 0, clean = 0;
  RunState last = RunState::kInUse;
  u32 used = 0;
  for (u32 i = 0; i < frontier_;) {
    const Slab& s = stretch[SlabIndex{i}];
    if (s.state == RunState::kInUse) {
      // A large block keeps only its ends up to date: step over the whole.
      bool large = s.use() == SlabUse::kLarge && s.live != 0 && s.first == SlabIndex{i};
      u32 n = large ? s.block_slabs : 1;
      used += n;
      i += n;
      last = RunState::kInUse;
      continue;
    }
    if (s.state == last || s.run_slabs == 0 || i + s.run_slabs > frontier_) return false;
    const Slab& end = stretch[SlabIndex{i + s.run_slabs - 1}];
    if (end.state != s.state || end.run_first != SlabIndex{i}) return false;
    (s.state == RunState::kFreeDirty ? dirty : clean) += s.run_slabs;
    last = s.state;
    i += s.run_slabs;
  }
  return dirty == dirty_slabs_ && used == used_slabs_ && used + dirty + clean == frontier_;
}

}  // namespace bigfoot::rt::heap
