// Sets of reads: the adaptive read clocks, interned.
//
// When threads read the same memory concurrently, all of their reads matter to a later write. Such
// a set is a list of (stamp, origin) entries, at most one for each slot, in the order of slots: so
// a thread finds out whether its read is in a set without looking through it. Sets are immutable
// and interned as long as they are young: an array of a million elements read by two threads refers
// to one set a million times, and going from one set to the next is a cached step, not an
// allocation. A set that has not been asked for lately may get a twin, which says the same thing.
// (A table of all sets was tried: programs like LevelDB make a new set at every second shared read,
// and looking for it where it cannot be was a cache miss each, a twelfth of their time.)
//
// Nobody counts who refers to a set. When many have come into being, the run time stops for a
// moment, marks the sets that shadow cells still mention and sweeps the others (context/reclaim.h).
#pragma once

#include "runtime/base/arena.h"
#include "runtime/clock/stamp.h"
#include "runtime/detect/access.h"
#include "runtime/shadow/cell.h"

namespace bigfoot::rt {

struct ReadEntry {
  Stamp stamp;
  Origin origin;
  bool operator==(const ReadEntry&) const = default;
};

// How a set is named in a cell's read stamp.
enum class ReadSetId : u32 {};
constexpr u32 read_word(ReadSetId id) {
  return kSpecialBit | static_cast<u32>(id);
}
constexpr ReadSetId read_set_of(u32 read_stamp) {
  return ReadSetId{read_stamp & ~kSpecialBit};
}

class ReadSets {
 public:
  static constexpr usize kSets = usize{1} << 26;

  void initialise();
  // A thread's stock of free sets, so that threads do not meet at every new one. Void after a
  // sweep.
  struct Stock {
    u32 first = 0;  // of a list
  };
  static constexpr u32 kStock = 32;  // when it is filled
  // A set that is being made.
  struct Draft {
    ReadEntry* entries;  // room for all
    u32 count = 0;
    u64 slots = 0;      // see Set
    bool wide = false;  // not all slots have a bit there
    // REQUIRES: slots come in ascending order.
    void add(const ReadEntry& e, Slot slot) {
      entries[count++] = e;
      if (index(slot) < kSlotBits)
        slots |= u64{1} << index(slot);
      else
        wide = true;
    }
  };
  // The id of this set.
  ReadSetId intern(const Draft& draft, Stock& stock);

  struct View {
    const ReadEntry* entries;
    u32 count;
    const ReadEntry* begin() const { return entries; }
    const ReadEntry* end() const { return entries + count; }
  };
  View get(ReadSetId id) const {
    const Set& s = sets_[static_cast<u32>(id)];
    BF_DCHECK(s.count != 0);
    return {s.entries(), s.count};
  }
  // Whether the read of the slot's thread at `s` is in the set.
  bool contains(ReadSetId id, Slot slot, Stamp s) const {
    const Set& set = sets_[static_cast<u32>(id)];
    BF_DCHECK(set.count != 0);
    if (BF_UNLIKELY(set.slots == 0)) return found_in(set, s);
    const u64 bit = index(slot) < kSlotBits ? u64{1} << index(slot) : 0;
    if ((set.slots & bit) == 0) return false;
    return set.entries()[__builtin_popcountll(set.slots & (bit - 1))].stamp == s;
  }
  // Sets that exist or are in stock; most of them may be mentioned by nobody any more.
  u64 live() const { return load_relaxed(&live_); }

  // REQUIRES for both: no other thread is inside the run time.
  void mark(ReadSetId id) { sets_[static_cast<u32>(id)].marked = true; }
  // Gives back every set that was not marked, and unmarks the others.
  void sweep();

 private:
  static constexpr u32 kSlotBits = 64;
  // One cache line; the few entries of most sets are in it.
  static constexpr u32 kFew = 6;
  struct alignas(64) Set {
    u32 count;
    bool marked;
    u64 slots;  // bit i: there is a read of slot i. 0: some slot has no bit, so they are not told
    union {
      u32 next;  // in a list of free ones
      ReadEntry few[kFew];
      ReadEntry* many;
    };
    bool is_few() const { return count <= kFew; }
    const ReadEntry* entries() const { return is_few() ? few : many; }
  };
  static_assert(sizeof(Set) == 64);
  static constexpr usize kYoung = usize{1} << 14;
  static constexpr u32 kMadeAtOnce = 1024;  // sets, 64 KiB of them
  static bool found_in(const Set& s, Stamp stamp);
  u32 take(Stock& stock);
  void fill(Stock& stock);
  ReservedTable<Set, kSets> sets_;
  // By hash, which is in the upper half: most sets are new, and who looks for them need not look at
  // another set to know that it is not the same.
  ReservedTable<u64, kYoung> young_;
  SpinLock lock_;  // guards the next two
  u64 used_ = 1;
  u32 free_ = 0;
  u64 live_ = 0;
};

}  // namespace bigfoot::rt
