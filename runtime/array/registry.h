// The arrays of the program: from an address to the shadow of the array it lies in.
//
// Arrays are heap blocks of at least 1 KiB (16 elements of the largest size), and globals and
// mappings that have been added (ranges.h); all are found through a number. A record comes into
// being with the first access that is not made while the program runs alone, and ends when its
// memory is handed out again or goes. Records are reused and never given back, and each use has a
// generation: who comes late with the record of an array that is gone finds that out.
#pragma once

#include "runtime/array/array_shadow.h"
#include "runtime/array/ranges.h"
#include "runtime/heap/slab.h"

namespace bigfoot::rt {

// What memory an array is.
enum class ArrayHome : u8 { kHeap, kGlobal, kMapping };
inline constexpr usize kArrayHomeCount = 3;

struct ArrayRecord {
  SpinLock lock;       // guards the next five
  u32 generation = 0;  // odd while in use
  ArrayShadow shadow;
  ArrayPlace place = kNoPlace;  // where it was allocated
  bool judged = false;          // its account is with its place's
  ArrayHome home = ArrayHome::kHeap;
  u32 pending = 0;                   // footprints of threads that refer to it; changed atomically
  ArrayRecord* next_free = nullptr;  // guarded by the registry's lock
  ArrayRecord* next = nullptr;       // all records there are; never changes
};

// Over all arrays that have ended, and at the end those that still are.
struct ArrayCounts {
  u64 arrays[kArrayModeCount] = {};  // by final mode
  u64 homes[kArrayHomeCount] = {};
  u64 elements = 0;
  u64 locations = 0;
  u64 refinements = 0;
};

class ArrayRegistry {
 public:
  // Arrays begin FINE, which is for ever, if they are not expected to pay: with a depot, in which
  // the heap's origins are found, those of places whose arrays have not (places.h); and with
  // `for_large_checks` those that are met first by a check of few bytes. Large checks are what
  // makes a shadow of its own cheaper: a footprint costs as much as some 50 settled words in the
  // planes. Blocks of a matrix that are accessed row by row, and points in one large array, took
  // four times as long as in the planes.
  void initialise(ArrayForms forms, const OriginDepot* learns_from = nullptr,
                  bool for_large_checks = false);

  // Whether get() may find an array at the address whose history is not in the planes: a few loads,
  // for those who ask often.
  [[gnu::always_inline]] bool may_hold(uptr address) const {
    return heap::stretch.contains(address) ? heap::holds_numbered(address) : ranges_.holds(address);
  }
  // The record of the array that contains the address; made if there is none yet, for a check of so
  // many bytes. Null if the address is in no array.
  ArrayRecord* get(uptr address, usize checked);
  // The same, null where nothing was recorded so far.
  ArrayRecord* find(uptr address) const;

  // Memory outside of the heap becomes an array, unless there is one already. REQUIRES: starts and
  // ends with a word; nothing is recorded in the planes, and nobody accesses it meanwhile.
  bool add(ByteRange memory, Origin allocated);
  // The first of these that overlaps the range; empty if there is none.
  heap::NumberedBlock first_added_in(ByteRange range) const { return ranges_.first_in(range); }
  // These are no arrays any more as far as they lie in the range, and what happened there is
  // forgotten, except for what is in the planes. What is left of them keeps its history. REQUIRES:
  // no footprints refer to arrays that are cut.
  void cut(ByteRange range);

  // No more records; the history of those there are goes to the planes.
  void close();

  // The array that starts at `begin`, if there is one, is gone.
  void end(uptr begin);

  // The array has gone FINE. REQUIRES: the record's lock is not held.
  void gone_fine(ArrayRecord& r, u32 generation);

  // Counts what has ended and what is still there.
  ArrayCounts counts();

  template <class Visit>
  void for_each(Visit&& visit) {
    for (ArrayRecord* r = load_acquire(&all_); r != nullptr; r = r->next) visit(*r);
  }
  void before_fork() { lock_.lock(); }
  void after_fork_parent() { lock_.unlock(); }
  // In the child of fork: threads that were at work on an array are gone.
  void forked_child();

 private:
  // What is left of an array that was cut, and its history.
  struct Remainder {
    ByteRange bytes;
    Segments history{};
    bool in_planes = false;
  };

  heap::NumberedBlock block_at(uptr address) const {
    return heap::stretch.contains(address) ? heap::numbered_block(address) : ranges_.find(address);
  }
  void set_plain(const heap::NumberedBlock& block, bool plain);
  ArrayRecord* new_record();
  void start(ArrayRecord& r, const heap::NumberedBlock& block, usize checked);
  void judge(ArrayRecord& r);
  void drop(ArrayRecord& r, u32 number);
  void take_remainders(const heap::NumberedBlock& from, Remainder (&left)[2]);
  void add_remainder(Remainder& left, const heap::NumberedBlock& from, bool has_record);
  void settle_in(ArrayRecord& r, const heap::NumberedBlock& block) const;
  static void count(ArrayCounts& to, const ArrayRecord& r);

  ReservedTable<ArrayRecord*, heap::kNumbers + ArrayRanges::kNumbers> by_number_;
  ArrayRanges ranges_;  // changed with lock_ held
  ArrayForms forms_ = ArrayForms::kSegments;
  const OriginDepot* origins_ = nullptr;
  bool for_large_checks_ = false;
  SpinLock lock_;  // guards the next three, and who makes a record for a number
  ArrayPlaces places_;
  ArrayRecord* free_ = nullptr;
  ArrayCounts ended_;
  ArrayRecord* all_ = nullptr;
  bool closed_ = false;
};

}  // namespace bigfoot::rt
