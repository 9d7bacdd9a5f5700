// Ranges this epoch has checked already, remembered by the place that checked them.
//
// A check that stands for a whole loop is often repeated with the same or a smaller range: every
// ray looks at all objects, every row at the rows below it. Within an epoch the first one has
// settled it (the range form of [SAME EPOCH]); this makes the repetition cost a lookup instead of a
// walk over the range. Memory that ends or comes to be is forgotten: what lives there next is
// another object.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

class SettledRanges {
 public:
  // `step`: where the range's elements begin; 1 for a contiguous range. A place always checks with
  // the same step and kind.
  bool contains(Pc pc, u32 stamp, uptr begin, uptr end, usize step) const {
    const Entry& e = entries_[index_of(pc)];
    return e.pc == pc && e.stamp == stamp && begin >= e.begin && end <= e.end &&
           (step == 1 || (begin - e.begin) % step == 0);
  }

  void add(Pc pc, u32 stamp, uptr begin, uptr end, usize step) {
    Entry& e = entries_[index_of(pc)];
    // A walk that goes on where it was: the union is one range.
    const bool meets = e.pc == pc && e.stamp == stamp && begin <= e.end && e.begin <= end;
    if (meets && step == 1) {
      if (e.begin < begin) begin = e.begin;
      if (e.end > end) end = e.end;
    }
    e = {pc, begin, end, stamp};
    if (begin < lowest_) lowest_ = begin;
    if (end > highest_) highest_ = end;
  }

  void forget(uptr begin, uptr end) {
    if (end <= lowest_ || begin >= highest_) return;
    lowest_ = ~uptr{0};
    highest_ = 0;
    for (Entry& e : entries_) {
      if (e.begin < end && begin < e.end) e = {};
      if (e.end == 0) continue;
      if (e.begin < lowest_) lowest_ = e.begin;
      if (e.end > highest_) highest_ = e.end;
    }
  }

 private:
  struct Entry {
    Pc pc = 0;
    uptr begin = 0, end = 0;
    u32 stamp = 0;
  };
  static constexpr usize kEntries = 32;
  static usize index_of(Pc pc) { return (pc >> 2 ^ pc >> 9) % kEntries; }

  Entry entries_[kEntries];
  uptr lowest_ = ~uptr{0}, highest_ = 0;  // hull of all entries
};

}  // namespace bigfoot::rt
