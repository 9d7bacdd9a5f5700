// Locks held, as an interned list: what a report says about locks at the older access.
//
// A thread's held locks form a list in the order they were taken; each prefix is a node. The list
// is interned when an access is recorded under it, not when a lock is taken. A program that takes
// different locks at one place (a lock per bucket) would make a node for each of them; after
// kExactNodes the address is left out and only the place where the lock was taken remains.
#pragma once

#include "runtime/base/arena.h"
#include "runtime/clock/stamp.h"
#include "runtime/origin/depot.h"

namespace bigfoot::rt {

struct LockTaken {
  uptr address;
  Origin taken;
  bool read_mode;
};

class Locksets {
 public:
  static constexpr usize kNodes = usize{1} << 22;
  static constexpr usize kExactNodes = usize{1} << 18;

  void initialise();
  LocksetId add(LocksetId held, const LockTaken& lock);
  // How many locks the set has.
  u32 size(LocksetId id) const;
  // The set of its oldest `count` locks, or of all if it has fewer.
  LocksetId oldest(LocksetId id, u32 count) const;
  // Newest first; returns how many there are, writes at most `max`.
  usize list(LocksetId id, LockTaken* out, usize max) const;
  u64 count() const { return load_relaxed(&used_); }

 private:
  struct Node {
    u64 key;
    LockTaken lock;
    LocksetId parent;
    u32 next;
  };
  // Buckets grow with the nodes; growing moves nothing. A node that is not found any more is made
  // once more, and its twin says the same thing.
  static constexpr unsigned kFirstBucketBits = 12, kMaxBucketBits = 18;
  u64& bucket(u64 key) { return buckets_[key % (u64{1} << load_relaxed(&bucket_bits_))]; }
  u32 find(u64 key);
  void grow(u64 nodes);
  ReservedTable<Node, kNodes> nodes_;
  // The newest node of each, below 42 bits of its key: with a lock in each of many objects every
  // look at a node is a miss of the cache, and most can be spared. With the 12 to 18 that chose the
  // bucket, 54 to 60 bits of a hash tell two lists apart.
  ReservedTable<u64, usize{1} << kMaxBucketBits> buckets_;
  // Zero until initialise(), as all of the run time's state.
  u32 bucket_bits_ = 0;
  u64 used_ = 0;
};

// The most locks that were held at an access of an epoch; at the others it was the oldest of them.
//
// One word for each stamp, a page for each chunk of them. Programs lock and unlock for as long as
// they run, so what nobody can ask for any more has to go (sweep()): pages of chunks that have been
// given back are used again or returned to the system, and of a chunk in which hardly any epoch is
// mentioned only the entries of these are kept, in a list.
class EpochLocks {
 public:
  void initialise() {
    of_.reserve();
    lists_.reserve();
  }
  void tell(Stamp epoch, LocksetId locks) { store_relaxed(&of_[raw(epoch)], raw(locks)); }
  // REQUIRES: an access of the epoch was recorded.
  LocksetId get(Stamp epoch) const;

  // Between the marking of all stamps that are mentioned and the sweep of the stamps. Chunks that
  // are about to be used keep their pages: `pages` of them. REQUIRES: no other thread is inside the
  // run time.
  void sweep(const StampTable& stamps, u32 pages);
  // For tests and statistics.
  u64 lists() const { return list_count_; }
  const void* page_of(Stamp epoch) const { return &of_[raw(epoch)]; }

 private:
  static constexpr u32 kChunks = u32{1} << StampTable::kChunkBits;
  static_assert(StampTable::kChunkStamps * sizeof(u32) == sys::kPageBytes);
  struct Entry {
    u32 offset;
    u32 locks;
  };
  // The entries follow it, in the order of offsets.
  struct List {
    u64 count;
    Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
    const Entry* entries() const { return reinterpret_cast<const Entry*>(this + 1); }
  };
  // The largest has half of the bytes of the page that it takes the place of.
  static constexpr u32 kMostListed = (sys::kPageBytes / 2 - sizeof(List)) / sizeof(Entry);
  static constexpr usize bytes_of(u64 entries) { return sizeof(List) + entries * sizeof(Entry); }
  LocksetId listed(const List& list, u32 offset) const;
  void make_list(const StampTable::ChunkState& chunk);
  void drop_list(u32 chunk);

  ReservedTable<u32, usize{1} << 31> of_;
  ReservedTable<List*, kChunks> lists_;  // null: the page has it
  u64 list_count_ = 0;
};

// What a thread remembers of its locks until somebody asks: no sets, and no first_locks().
inline constexpr LocksetId kNotInterned{~kMaxFirstLocks - 1};  // the list has changed
inline constexpr LocksetId kNotTold{~kMaxFirstLocks - 2};      // the epoch has had no access yet

}  // namespace bigfoot::rt
