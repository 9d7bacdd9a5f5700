// The shadow of one array: its history in as few cells as its accesses allow.
//
// Two ways of dividing an array: segments (the default; segments.h) and the partitions of
// SlimState's Table I (table_shadow.h), kept for comparison. Either ends in FINE when there is no
// pattern: then the history is in the planes, as that of any other memory.
//
// Not thread-safe: whoever calls holds the array's lock, except for fine_until().
#pragma once

#include "runtime/array/places.h"
#include "runtime/array/segments.h"
#include "runtime/array/table_shadow.h"

namespace bigfoot::rt {

enum class ArrayForms : u8 { kSegments, kTable };

// How an array's history is kept, for statistics. The first six are those of Table I.
enum class ArrayMode : u8 { kCoarse, kBlock, kStride, kSplit, kPrefix, kFine, kSegments };
inline constexpr usize kArrayModeCount = 7;

class ArrayShadow {
 public:
  // Zero-initialised storage, then this: no history. REQUIRES: the array starts at a word.
  void start(ByteRange array, ArrayForms forms);
  // The same in the planes, FINE from the beginning. REQUIRES: nothing is recorded there.
  void start_fine(ByteRange array, ArrayForms forms);
  void release_storage();

  // Offsets in `c` are bytes from the array's start. What is in the planes is left to the caller:
  // `rest`, empty if nothing is.
  void commit(Commit& c, Footprint& rest);
  // Moves all history into the planes.
  void make_fine();
  // So many cells that it should be tried whether some can be forgotten.
  bool crowded() const {
    return forms_ == ArrayForms::kSegments && !fine() && segments_.locations() > crowd_;
  }
  // Forgets the history of parts of which `known(cell)` says that everybody knows it: no access to
  // come can race with what is ordered before every thread there is.
  template <class Known>
  void forget(Known&& known) {
    if (forms_ != ArrayForms::kSegments || fine()) return;
    segments_.forget(known);
    set_crowd();
    account_.here += kForget;
  }
  // Forgets what happened to the bytes. The planes are the caller's business.
  void clear(usize begin, usize end);
  // The history of [begin, end) as it would be from `at` on in another array. False if it is not
  // kept in a form that can be copied; then it is to be looked for in the planes, after
  // make_fine().
  bool copy(usize begin, usize end, usize at, Segments& part) const {
    return forms_ == ArrayForms::kSegments && !fine() && segments_.copy(begin, end, at, part);
  }
  // The bytes that `part` tells of get its history, in the planes if the array is there; `part` is
  // empty then. REQUIRES: no synchronisation object lives there.
  void replace(Segments& part);
  // All of the history becomes that of `to`, too, or of `to` alone. False, and nothing is done, if
  // the two are not kept in one form and of one size.
  bool copy_all_to(ArrayShadow& to) const;
  bool move_all_to(ArrayShadow& to);
  // The same history at another address. REQUIRES: fine_until() == 0.
  void move_to(uptr begin);

  const ByteRange& array() const { return array_; }
  // Offsets before this one have their history in the planes: all of them, if FINE; else it is the
  // end of a word. Grows until the next start, and may be asked without the lock: what was in the
  // planes stays there.
  usize fine_until() const { return load_acquire(&fine_until_); }
  bool fine() const { return fine_until() >= array_.size; }

  const ArrayAccount& account() const { return account_; }

  // For statistics.
  usize element() const { return element_ == 0 ? 8 : element_; }
  u64 elements() const { return (array_.size + element() - 1) / element(); }
  u64 locations() const;
  ArrayMode mode() const;
  u64 refinements() const { return refinements_; }

  // Whether run_begin() can tell.
  bool keeps_runs() const { return forms_ == ArrayForms::kSegments && !fine(); }
  // As Segments::run_begin. REQUIRES: keeps_runs().
  template <class Told>
  usize run_begin(usize at, Told&& told) const {
    return segments_.run_begin(at, told);
  }

  template <class Visit>
  void for_each_cell(Visit&& visit) const {
    if (forms_ == ArrayForms::kTable)
      table_.for_each_cell(visit);
    else
      segments_.for_each_cell(visit);
  }
  bool valid() const { return forms_ == ArrayForms::kTable || fine() || segments_.valid(); }

 private:
  // To ask what everybody knows, all threads are stopped; see keep_account() for the unit.
  static constexpr u64 kForget = 1024;

  void commit_segments(Commit& c, Footprint& rest);
  void note_element(usize size);
  void note_used(usize begin, usize end);
  void keep_account(const Commit& c);
  u64 price_of_going() const;
  bool better_in_planes() const;
  void set_crowd();
  bool like(const ArrayShadow& other) const;
  void publish(usize until) {
    BF_DCHECK(until % 8 == 0 || until >= array_.size);
    store_release(&fine_until_, until);
  }

  ByteRange array_;
  usize fine_until_ = 0;
  ArrayForms forms_ = ArrayForms::kSegments;
  u8 element_ = 0;  // bytes, learnt; 0: nothing accessed yet
  u64 refinements_ = 0;
  u64 crowd_ = 0;   // see crowded()
  ByteRange used_;  // from the first byte to the last one that a history was ever recorded of
  ArrayAccount account_;
  u64 moved_ = 0;  // segments, as far as they are accounted for
  Segments segments_;
  TableShadow table_;
};

}  // namespace bigfoot::rt
