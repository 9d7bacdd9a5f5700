// Ranges this epoch has checked already, remembered by the place that checked them.
//
// A check that stands for a whole loop is often repeated with the same or a smaller range: every
// ray looks at all objects, every row at the rows below it. Within an epoch the first one has
// settled it (the range form of [SAME EPOCH]); this makes the repetition cost a lookup instead of a
// walk over the range. Memory that ends or comes to be is forgotten: what lives there next is
// another object. Epochs are told apart by the thread's own time, not by their stamps: a stamp is
// given out again when no cell mentions it, and what it meant here would come back.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

// `width` bytes at begin, begin + step, ... before end; contiguous if step and width are 1.
struct SettledRange {
  uptr begin, end;
  usize step, width;
};

class SettledRanges {
 public:
  bool contains(Pc pc, Clock time, const SettledRange& r) const {
    const Entry& e = entries_[index_of(pc)];
    return e.pc == pc && e.time == time && e.same_shape(r) && r.begin >= e.range.begin &&
           r.end <= e.range.end && (r.begin - e.range.begin) % r.step == 0;
  }

  void add(Pc pc, Clock time, SettledRange r) {
    Entry& e = entries_[index_of(pc)];
    // A walk that goes on where it was: the union is one range.
    const bool meets = e.pc == pc && e.time == time && e.same_shape(r) && r.begin <= e.range.end &&
                       e.range.begin <= r.end;
    if (meets && r.step == 1) {
      if (e.range.begin < r.begin) r.begin = e.range.begin;
      if (e.range.end > r.end) r.end = e.range.end;
    }
    e = {pc, time, r};
    if (r.begin < lowest_) lowest_ = r.begin;
    if (r.end + r.width > highest_) highest_ = r.end + r.width;
  }

  void forget(uptr begin, uptr end) {
    if (end <= lowest_ || begin >= highest_) return;
    lowest_ = ~uptr{0};
    highest_ = 0;
    for (Entry& e : entries_) {
      const uptr last = e.range.end + e.range.width;  // an element may reach over the end
      if (e.range.begin < end && begin < last) e = {};
      if (e.range.end == 0) continue;
      if (e.range.begin < lowest_) lowest_ = e.range.begin;
      if (last > highest_) highest_ = last;
    }
  }

  void forget_all() { *this = SettledRanges(); }

 private:
  struct Entry {
    Pc pc = 0;
    Clock time = 0;
    SettledRange range = {};
    // The compiler may make one call instruction of two that differ in their arguments.
    bool same_shape(const SettledRange& r) const {
      return range.step == r.step && range.width == r.width;
    }
  };
  static constexpr usize kEntries = 32;
  static usize index_of(Pc pc) { return (pc >> 2 ^ pc >> 9) % kEntries; }

  Entry entries_[kEntries];
  uptr lowest_ = ~uptr{0}, highest_ = 0;  // hull of all entries
};

}  // namespace bigfoot::rt
