#include "runtime/context/known_to_all.h"

#include "runtime/context/reclaim.h"

namespace bigfoot::rt {

// A thread's own past is ordered before it whatever its clock says.
void KnownToAll::add(const Thread& t) {
  for (u32 i = 0; i < least_.size(); ++i) {
    const Slot s{i};
    const Clock known = t.knows.get(s);
    if (s != t.slot && known < least_.get(s)) least_.set(s, known);
  }
}

void KnownToAll::see(void* self, Thread& t) {
  auto& all = *static_cast<KnownToAll*>(self);
  // On its way out: it accesses nothing any more, and is not counted as live.
  if (runtime.threads[static_cast<u32>(t.id)].finished) return;
  all.add(t);
  ++all.seen_;
}

bool KnownToAll::look(const Thread& me) {
  constexpr Clock kAlways = ~Clock{0};
  for (u32 i = 0; i < runtime.slots.count(); ++i) least_.set(Slot{i}, kAlways);
  add(me);
  seen_ = 1;
  visit_stopped_threads(see, this);
  return seen_ == load_relaxed(&runtime.live);
}

bool KnownToAll::contains(Stamp s) const {
  const Epoch e = runtime.stamps.decode(s);
  return e.clock <= least_.get(e.slot);
}

bool KnownToAll::contains(const Cell& c) const {
  if (c.write != 0 && !contains(Stamp{c.write})) return false;
  if (!c.read_by_many()) return c.read == 0 || contains(Stamp{c.read});
  for (const ReadEntry& e : runtime.sets.get(read_set_of(c.read)))
    if (!contains(e.stamp)) return false;
  return true;
}

}  // namespace bigfoot::rt
