#include "runtime/detect/rules.h"

#include "runtime/detect/quick.h"

namespace bigfoot::rt {

bool happened_before_elsewhere(u32 stamp, const VectorClock& knows, Slot slot,
                               const StampTable& stamps) {
  return happened_before(Stamp{stamp}, {knows, slot, kNoStamp, stamps});
}

u32 share_read(const Cell& c, const Observer& me, Origin origin, ReadSets& sets,
               ReadShareCache& cache, StepFor step_for) {
  u64 before = c.read | static_cast<u64>(c.read_origin) << 32;
  u64 mine = raw(me.stamp) | static_cast<u64>(raw(origin)) << 32;
  ReadShareCache::Entry& known = cache.slot(before, mine);
  if (known.before == before && known.mine == mine) {
    sets.note_use(read_set_of(known.after));
    return known.after;
  }

  // Concurrent readers are at most one per slot, so the set is bounded by the number of threads;
  // the buffer covers 64 and the rest goes to the heap of the run time.
  constexpr u32 kInline = 64;
  ReadEntry few[kInline];
  ReadSets::View old{};
  const u64 single = packed({Stamp{c.read}, c.reader()});
  if (c.read_by_many())
    old = sets.get(read_set_of(c.read));
  else
    old = {&single, 1};
  ReadSets::Draft kept{few};
  if (old.count + 1 > kInline) kept.entries = arena_new<ReadEntry>(old.count + 1);
  bool added = false;
  const auto add_mine = [&] {
    if (!added) kept.add({me.stamp, origin}, me.slot);
    added = true;
  };
  for (const ReadEntry e : old) {
    const Epoch at = me.stamps.decode(e.stamp);
    if (happened_before(at, me)) continue;
    if (index(at.slot) > index(me.slot)) add_mine();
    kept.add(e, at.slot);
  }
  add_mine();
  if (step_for == StepFor::kOneCell && !kept.wide && c.read_by_many() &&
      sets.makes_own(read_set_of(c.read), me.slot))
    return read_word(sets.make_own(kept, cache.stock));
  u32 after = read_word(sets.intern(kept, cache.stock));
  known = {before, mine, after};
  return after;
}

}  // namespace bigfoot::rt
