// Runs of slabs: where whole slabs come from and where they go back to.
//
// Free runs are either dirty (their pages still hold what the program wrote) or clean (never
// touched, or given back to the system, so that they read as zero). A program that allocates and
// frees the same large buffer in a loop should not pay two system calls and the page faults each
// time, so up to kMaxDirtySlabs stay dirty; beyond, the largest dirty run is given back.
// Neighbouring free runs of the same state are merged at once: no two such runs ever touch.
//
// Thread-safe: one lock, held for a few dozen instructions; no system call under it unless the
// stretch is full.
#pragma once

#include "runtime/base/spin_lock.h"
#include "runtime/heap/slab.h"

namespace bigfoot::rt::heap {

struct Run {
  SlabIndex first = kNoSlab;
  u32 slabs = 0;
  bool clean = false;  // reads as zero
  bool empty() const { return slabs == 0; }
};

// The free runs of one state, by length: exact up to kExactBins slabs, then one bin per doubling.
class RunBins {
 public:
  void insert(SlabIndex first, u32 slabs);
  void remove(SlabIndex first, u32 slabs);
  // First slab of a run of at least `slabs`, or kNoSlab. It stays in its bin.
  SlabIndex find(u32 slabs) const;
  SlabIndex find_largest_bin() const;

 private:
  static constexpr u32 kExactBins = 32;
  static constexpr u32 kBinCount = kExactBins + 32;
  static u32 bin_of(u32 slabs);
  // One more than the index of the first run; zero-initialised means empty.
  u32 heads_[kBinCount] = {};
  u64 occupied_ = 0;
};

class SlabRuns {
 public:
  // A run of exactly `slabs` whose start is a multiple of `align_slabs` slabs; empty if there is no
  // room.
  Run allocate(u32 slabs, u32 align_slabs = 1);
  void free(SlabIndex first, u32 slabs);
  // Slabs that are in use or dirty, i.e. that may occupy memory.
  usize occupied_slabs();
  // Every slab below has been in use at some time.
  SlabIndex frontier();
  // No two free runs of one state touch, both ends of each agree, no slab is lost. O(slabs).
  bool is_valid();

  SpinLock& lock() { return lock_; }  // for fork

 private:
  static constexpr u32 kMaxDirtySlabs = (32u << 20) / kSlabBytes;

  Run take(u32 slabs);
  Run take_from(RunBins& bins, RunState state, u32 slabs);
  Run take_fresh(u32 slabs);
  void put(SlabIndex first, u32 slabs, RunState state);
  Run take_excess_dirty();
  bool discard_all_dirty();
  RunBins& bins(RunState state) { return state == RunState::kFreeDirty ? dirty_ : clean_; }

  SpinLock lock_;
  RunBins dirty_, clean_;  // all guarded by lock_
  u32 dirty_slabs_ = 0;
  u32 used_slabs_ = 0;
  u32 frontier_ = 0;
};

extern SlabRuns slab_runs;

}  // namespace bigfoot::rt::heap
