// Locks held, as an interned list: what a report says about locks at the older access.
//
// A thread's held locks form a list in the order they were taken; each prefix is a node, so taking
// a lock is one step down and releasing the newest is one step up. An origin carries the node. A
// program that takes different locks at one place (a lock per bucket) would make a node for each of
// them; after kExactNodes the address is left out and only the place where the lock was taken
// remains.
#pragma once

#include "runtime/base/arena.h"
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
  static constexpr usize kBuckets = usize{1} << 18;
  u32 find(u64 key) const;
  ReservedTable<Node, kNodes> nodes_;
  ReservedTable<u32, kBuckets> buckets_;
  u64 used_ = 1;
};

}  // namespace bigfoot::rt
