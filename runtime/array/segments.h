// The form beyond Table I: sorted segments, each with one history or with a period of them.
//
//   |  A A A A A A A A  |  B C B C B C B C B C  |  A A A A |
//      segment, 1 cell     segment of period 2,    segment
//                          2 cells
//
// Table I knows partitions of the whole array; threads that divide an array among themselves and
// then each follow a pattern (rows of a matrix with their neighbours, the fields of structs in an
// array) end in FINE there. Here a footprint cuts the array where it begins and ends, and what
// becomes equal again joins: a write to the whole array makes it one segment, whatever it was
// before.
//
// A period is the same for all segments of a struct array, and it counts from the array's start, so
// that a cut never changes which element a cell stands for.
//
// The number of cells is capped: beyond it the array is not regular, and the caller goes FINE.
#pragma once

#include "runtime/array/commit.h"
#include "runtime/base/gap_list.h"

namespace bigfoot::rt {

class Segments {
 public:
  // Zero-initialised storage, then this. One blank segment.
  void start(usize bytes);
  void release_storage();

  // All offsets are bytes from the array's start. False if the cap would be exceeded or the pattern
  // has no form here: the history is still exact, but what `c` stands for is committed only in part
  // (doing it again elsewhere does no harm).
  bool commit(Commit& c);
  // Forgets [begin, end). False as above.
  bool clear(usize begin, usize end);
  // Forgets the history of every part of which `known` says that it cannot matter any more.
  template <class Known>
  void forget(Known&& known);
  // The history of [begin, end), as it would be from `at` on in another array: `part` is what
  // replace() there takes. False if a period does not fit there; then `part` is empty.
  bool copy(usize begin, usize end, usize at, Segments& part) const;
  // The bytes that `part` tells of get its history; it is empty then. False as for commit(), but it
  // is done.
  bool replace(Segments& part);
  // All of it, for an array of the same size: what `to` had goes, and its room is used again.
  // Moved, it costs what it costs to forget what `to` had.
  void copy_all_to(Segments& to) const;
  void move_all_to(Segments& to);
  // The array ends later or earlier now. What is added is blank.
  void resize(usize bytes);

  usize locations() const { return cells_; }
  // The most cells there may be.
  usize cap() const;
  u32 count() const { return items_.size(); }
  usize bytes() const { return bytes_; }
  // 0, unless it is a part that copy() has made.
  usize begin() const { return items_[0].begin; }
  u64 moved() const { return items_.moved(); }
  // Whether the invariants hold; for the self-checks of the tests.
  bool valid() const;

  // Calls visit(begin, end, cell) for runs of bytes with one history, in ascending order.
  template <class Visit>
  void for_each_run(Visit&& visit) const;
  // Every cell that is kept.
  template <class Visit>
  void for_each_cell(Visit&& visit) const;
  // Where the run of bytes begins that ends at `at` and whose every cell `told` accepts; `at` if
  // there is none.
  template <class Told>
  usize run_begin(usize at, Told&& told) const;

 private:
  struct Segment {
    usize begin;
    u32 period;  // 0: one cell for all of it
    u32 unit;    // bytes a cell stands for in each period
    Cell one;
    Cell* many;  // period / unit of them, if there is a period
    u32 cells() const { return period == 0 ? 1 : period / unit; }
  };
  // Of a strided footprint: the bytes [offset, offset + width) of every `period`.
  struct Class {
    usize period, offset, width;
  };

  usize end_of(u32 i) const { return i + 1 < items_.size() ? items_[i + 1].begin : bytes_; }
  u32 find(usize at) const;
  void cut(u32 i, usize at);
  void isolate(u32& i, usize begin, usize end);
  void drop_cells(Segment& s);
  void drop_periods();  // of all segments, which are good for nothing then
  void make_uniform(Segment& s, const Cell& c);
  void collapse(Segment& s);
  static bool may_be_period(const Class& k);
  bool make_periodic(Segment& s, const Class& k);
  static bool copy_cells(Segment& s, usize from, usize to);
  bool same(const Segment& a, const Segment& b) const;
  void join_around(u32 i, usize begin, usize end);
  void join_around(usize begin, usize end) { join_around(find(begin), begin, end); }

  bool commit_range(Commit& c, usize begin, usize end);
  bool commit_class(Commit& c, const Footprint& f);
  bool touches_settled_only(const Commit& c, const Segment& s, const Class& k) const;
  void apply_range(Commit& c, u32 i);
  void apply_class(Commit& c, u32 i, const Class& k);
  PartBytes part(u32 i, u32 cell) const;
  bool within_cap() const { return cells_ <= cap(); }
  // A period has at least two cells. Without one there is nothing but the list.
  bool has_periods() const { return cells_ != items_.size(); }

  GapList<Segment> items_;
  usize bytes_ = 0;
  usize cells_ = 0;
  mutable u32 near_ = 0;  // what find() found last; any number will do
};

template <class Visit>
void Segments::for_each_run(Visit&& visit) const {
  for (u32 i = 0; i < items_.size(); ++i) {
    const Segment& s = items_[i];
    const usize end = end_of(i);
    if (s.period == 0) {
      visit(s.begin, end, s.one);
      continue;
    }
    for (usize a = s.begin; a < end;) {
      usize next = a / s.unit * s.unit + s.unit;
      if (next > end) next = end;
      visit(a, next, s.many[a % s.period / s.unit]);
      a = next;
    }
  }
}

template <class Known>
void Segments::forget(Known&& known) {
  for (u32 i = 0; i < items_.size(); ++i) {
    Segment& s = items_[i];
    for (u32 k = 0; k < s.cells(); ++k) {
      Cell& c = s.period == 0 ? s.one : s.many[k];
      if (!c.blank() && known(c)) c = {};
    }
    collapse(s);
  }
  join_around(0, bytes_);
}

template <class Told>
usize Segments::run_begin(usize at, Told&& told) const {
  for (u32 i = at == 0 ? 0 : find(at - 1); at > 0; --i) {
    const Segment& s = items_[i];
    for (u32 k = 0; k < s.cells(); ++k)
      if (!told(s.period == 0 ? s.one : s.many[k])) return at;
    at = s.begin;
  }
  return at;
}

template <class Visit>
void Segments::for_each_cell(Visit&& visit) const {
  for (u32 i = 0; i < items_.size(); ++i)
    for (u32 k = 0; k < items_[i].cells(); ++k)
      visit(items_[i].period == 0 ? items_[i].one : items_[i].many[k]);
}

}  // namespace bigfoot::rt
