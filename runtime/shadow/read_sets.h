// Sets of reads: the adaptive read clocks.
//
// When threads read the same memory concurrently, all of their reads matter to a later write. Such
// a set is a list of (stamp, origin) entries, at most one for each slot, in the order of slots: so
// a thread finds out whether its read is in a set without looking through it. There are two kinds.
//
// Interned sets never change, and are found again as long as they are young: an array of a million
// elements read by two threads refers to one set a million times, and going from one set to the
// next is a cached step, not an allocation. A set that has not been asked for lately may get a
// twin, which says the same thing. (A table of all sets was tried: programs like LevelDB make a new
// set at every second shared read, and looking for it where it cannot be was a cache miss each, a
// twelfth of their time.)
//
// A cell's own set is named by that cell alone, and a thread that has an entry in it puts a later
// read there in place: one compare-and-swap of 8 bytes, and nothing becomes garbage. What a thread
// reads again and again between two unlocks has such a set. Each entry is open until it is closed
// for good. Whoever is about to replace the cell, or to copy it, closes all entries first, and
// judges or copies what is there then: so a read that got in is seen, and one that comes too late
// fails to get in and finds the cell as it is by then. An open set is named by one cell at most.
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
// As a set keeps it: in one word, so that it changes in one step. Origins have 28 bits.
constexpr u64 kOpenEntry = u64{1} << 63;
constexpr u64 packed(const ReadEntry& e) {
  return raw(e.stamp) | static_cast<u64>(raw(e.origin)) << 32;
}
constexpr ReadEntry unpacked(u64 e) {
  return {Stamp{static_cast<u32>(e)}, Origin{static_cast<u32>(e >> 32) & kOriginMask}};
}

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
  // A set of its own for one cell, open. REQUIRES: !draft.wide.
  ReadSetId make_own(const Draft& draft, Stock& stock);

  // Of a cell's own set, an entry is as new as the look at it.
  struct View {
    struct Iterator {
      const u64* at;
      ReadEntry operator*() const { return unpacked(load_acquire(at)); }
      Iterator& operator++() { return ++at, *this; }
      bool operator==(const Iterator&) const = default;
    };
    const u64* entries;
    u32 count;
    Iterator begin() const { return {entries}; }
    Iterator end() const { return {entries + count}; }
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
    const u64* entry = set.entry_of(slot);
    return entry != nullptr && unpacked(load_acquire(entry)).stamp == s;
  }

  // The slot's entry of a cell's own set, if it is open: for replace_entry().
  u64* open_entry(ReadSetId id, Slot slot) {
    Set& set = sets_[static_cast<u32>(id)];
    if (!set.own) return nullptr;
    u64* entry = set.entry_of(slot);
    return entry != nullptr && (load_relaxed(entry) & kOpenEntry) != 0 ? entry : nullptr;
  }
  // False if it has been closed. Only the slot's thread changes it otherwise. A full barrier.
  static bool replace_entry(u64* entry, const ReadEntry& by) {
    u64 seen = load_relaxed(entry) | kOpenEntry;
    return compare_exchange(entry, seen, packed(by) | kOpenEntry);
  }
  // Nobody changes the set any more. Whatever got into it before is visible afterwards.
  void close(ReadSetId id) {
    Set& set = sets_[static_cast<u32>(id)];
    if (BF_UNLIKELY(set.own)) close(set);
  }
  // Whether a set that takes the place of this one, with a later read of the slot, should be the
  // cell's own: it is alone with this history, or nearly so.
  bool makes_own(ReadSetId id, Slot slot) const {
    const Set& set = sets_[static_cast<u32>(id)];
    if (!set.own && (set.uses >= kManyUses || set.entry_of(slot) == nullptr)) return false;
    return live() < kSets / 4;
  }
  bool is_own(ReadSetId id) const { return sets_[static_cast<u32>(id)].own; }
  // An interned set has been put into one more cell.
  void note_use(ReadSetId id) {
    Set& set = sets_[static_cast<u32>(id)];
    if (const u8 uses = load_relaxed(&set.uses); uses < kManyUses)
      store_relaxed(&set.uses, static_cast<u8>(uses + 1));
  }

  // Sets that exist or are in stock; most of them may be mentioned by nobody any more.
  u64 live() const { return load_relaxed(&live_); }

  // REQUIRES for both: no other thread is inside the run time.
  void mark(ReadSetId id) {
    Set& set = sets_[static_cast<u32>(id)];
    BF_DCHECK(!set.marked || !is_open(set));
    set.marked = true;
  }
  // Gives back every set that was not marked, and unmarks the others.
  void sweep();
  void before_fork() { lock_.lock(); }
  void after_fork() { lock_.unlock(); }

 private:
  static constexpr u32 kSlotBits = 64;
  // One cache line; the few entries of most sets are in it.
  static constexpr u32 kFew = 6;
  // A cell's own set costs 64 bytes; one set for a thousand elements of an array is better.
  static constexpr u8 kManyUses = 4;
  struct alignas(64) Set {
    u32 count;
    bool marked;
    bool own;   // a cell's
    u8 uses;    // how often it was found again, up to kManyUses
    u64 slots;  // bit i: there is a read of slot i. 0: some slot has no bit, so they are not told
    union {
      u32 next;  // in a list of free ones
      u64 few[kFew];
      u64* many;
    };
    bool is_few() const { return count <= kFew; }
    const u64* entries() const { return is_few() ? few : many; }
    u64* entries() { return is_few() ? few : many; }
    // Null if there is none, or slots are not told.
    const u64* entry_of(Slot slot) const {
      const u64 bit = index(slot) < kSlotBits ? u64{1} << index(slot) : 0;
      if ((slots & bit) == 0) return nullptr;
      return &entries()[__builtin_popcountll(slots & (bit - 1))];
    }
    u64* entry_of(Slot slot) {
      return const_cast<u64*>(static_cast<const Set*>(this)->entry_of(slot));
    }
  };
  static_assert(sizeof(Set) == 64);
  static constexpr usize kYoung = usize{1} << 14;
  static constexpr u32 kMadeAtOnce = 1024;  // sets, 64 KiB of them
  static bool found_in(const Set& s, Stamp stamp);
  static void close(Set& s);
  static bool is_open(const Set& s);
  u32 make(const Draft& draft, Stock& stock, bool own);
  u32 take(Stock& stock);
  void fill(Stock& stock);
  ReservedTable<Set, kSets> sets_;
  // By hash, which is in the upper half: most sets are new, and who looks for them need not look at
  // another set to know that it is not the same.
  ReservedTable<u64, kYoung> young_;
  SpinLock lock_;  // guards the next two
  u64 used_ = 0;  // zero until initialise()
  u32 free_ = 0;
  u64 live_ = 0;
};

// The sets that cells of the planes name; there is one table of them in a process, as there is one
// set of planes. Before a cell is copied: afterwards nobody changes the set that it names, and the
// copy tells what the cell told.
void close_reads(const Cell& c);

}  // namespace bigfoot::rt
