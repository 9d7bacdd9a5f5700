// The histories of an array under SlimState's Table I: a partition and one cell for each part.
//
// What an element is, C does not say: the width of the first footprint is taken for it, and smaller
// or crooked ones make it smaller. FINE and the first elements of PREFIX are kept in the planes
// like any other memory, so that accesses there are checked at once, as in the paper, and inline.
#pragma once

#include "runtime/array/commit.h"
#include "runtime/array/partition.h"

namespace bigfoot::rt {

class TableShadow {
 public:
  // Zero-initialised storage, then this. COARSE and blank.
  void start(ByteRange array);
  void release_storage();

  // Offsets in `c` are bytes from the array's start. What belongs into the planes is left to the
  // caller: `rest`, empty if nothing does. History that moves there has moved when this returns.
  void commit(Commit& c, Footprint& rest);

  const Partition& partition() const { return p_; }
  bool fine() const { return p_.form == Form::kFine; }
  // Offsets before this one are in the planes.
  usize kept_from() const;
  usize element() const { return element_; }
  u64 locations() const { return element_ == 0 ? 1 : p_.parts(); }
  u64 refinements() const { return refinements_; }
  // Moves everything that is kept here into the planes.
  void make_fine();
  // The same history at another address. REQUIRES: nothing is in the planes.
  void move_to(uptr begin) { array_.begin = begin; }

  // Calls visit(begin, end, cell) for runs of bytes with one history that are kept here, in
  // ascending order.
  template <class Visit>
  void for_each_run(usize begin, usize end, Visit&& visit) const {
    for (usize a = begin; a < end;) {
      usize next = run_end(a);
      if (next > end) next = end;
      visit(a, next, cell_of(a / element_));
      a = next;
    }
  }
  template <class Visit>
  void for_each_cell(Visit&& visit) const {
    for (const Cell& c : cells_) visit(c);
  }

 private:
  const Cell& cell_of(u64 index) const;
  usize run_end(usize offset) const;
  PartBytes bytes_of(u64 part) const;
  void fit_element(const Footprint& f);
  bool needs_planes(const Footprint& f) const;
  bool settled(const Commit& c, u64 index) const;
  bool trim(const Commit& c, IndexRange& f) const;
  void change(const Partition& to);
  bool commit_indices(Commit& c, IndexRange f);

  Partition p_;
  ByteRange array_;
  usize element_ = 0;  // bytes; 0 until the first footprint
  u64 refinements_ = 0;
  Growing<Cell> cells_;  // of the parts that are not in the planes
};

}  // namespace bigfoot::rt
