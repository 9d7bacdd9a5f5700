// What a group of threads all know to have happened: none of them can race with it any more.
#pragma once

#include "runtime/detect/rules.h"

namespace bigfoot::rt {

// Zero-initialised storage, then start(). Its owner gives the storage back.
class CommonPast {
 public:
  // All times of so many slots, until threads are added.
  void start(u32 slots) {
    for (u32 i = 0; i < slots; ++i) least_.set(Slot{i}, ~Clock{0});
  }
  // A thread's own past is ordered before it whatever its clock says.
  void add(const VectorClock& knows, Slot own) {
    for (u32 i = 0; i < least_.size(); ++i) {
      const Slot s{i};
      const Clock known = knows.get(s);
      if (s != own && known < least_.get(s)) least_.set(s, known);
    }
  }
  void release_storage() { least_.release_storage(); }

  bool contains(Stamp s, const StampTable& stamps) const {
    const Epoch e = stamps.decode(s);
    return e.clock <= least_.get(e.slot);
  }
  // Whether it contains everything that the cell tells of.
  bool contains(const Cell& c, const StampTable& stamps, const ReadSets& sets) const {
    if (c.write != 0 && !contains(Stamp{c.write}, stamps)) return false;
    if (!c.read_by_many()) return c.read == 0 || contains(Stamp{c.read}, stamps);
    for (const ReadEntry e : sets.get(read_set_of(c.read)))
      if (!contains(e.stamp, stamps)) return false;
    return true;
  }

 private:
  VectorClock least_;  // of each slot, the time that all others know of
};

}  // namespace bigfoot::rt
