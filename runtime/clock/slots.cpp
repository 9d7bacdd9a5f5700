#include "runtime/clock/slots.h"

#include "runtime/base/arena.h"

namespace bigfoot::rt {

void SlotTable::start_reign(Entry& e, Clock from, ThreadId owner) {
  auto* r = arena_new<Reign>();
  *r = {from, owner, e.reigns};
  e.reigns = r;
}

bool SlotTable::take(const VectorClock& creator, ThreadId owner, StampTable& stamps,
                     SlotLease& lease) {
  SpinGuard guard(lock_);
  // Most programs join what they create, so the newest retired slot nearly always fits. 64 tries
  // bound the search for those that never join; they pay with a wider clock, not with a lost race.
  u32* link = &retired_;
  for (int tries = 0; *link != 0 && tries < 64; ++tries) {
    u32 i = *link - 1;
    Entry& e = slots_[i];
    if (e.last_used <= creator.get(Slot{i})) {
      Stamp s = stamps.next(e.last_stamp, {Slot{i}, e.last_clock});
      if (s == kNoStamp) return false;
      *link = e.next_retired;
      e.retired = false;
      start_reign(e, e.last_clock + 1, owner);
      lease = {Slot{i}, e.last_clock + 1, s};
      return true;
    }
    link = &e.next_retired;
  }
  if (count_ >= kMaxSlots) return false;
  Slot slot{count_};
  Stamp s = stamps.open(slot, 1);
  if (s == kNoStamp) return false;
  start_reign(slots_[count_], 1, owner);
  store_relaxed(&count_, count_ + 1);
  lease = {slot, 1, s};
  return true;
}

void SlotTable::retire(Epoch now, Stamp stamp, Clock last_used) {
  SpinGuard guard(lock_);
  Entry& e = slots_[index(now.slot)];
  e.last_used = last_used;
  e.last_clock = now.clock;
  e.last_stamp = stamp;
  e.retired = true;
  e.next_retired = retired_;
  retired_ = index(now.slot) + 1;
}

Clock SlotTable::latest(Slot slot) const {
  SpinGuard guard(lock_);
  const Entry& e = slots_[index(slot)];
  return e.retired ? e.last_clock : ~Clock{0};
}

SlotTable::Holder SlotTable::holder(Slot slot) const {
  SpinGuard guard(lock_);
  const Entry& e = slots_[index(slot)];
  return {e.reigns->owner, e.reigns->from, e.retired, e.last_clock};
}

ThreadId SlotTable::owner_at(Epoch e) const {
  SpinGuard guard(lock_);
  for (const Reign* r = slots_[index(e.slot)].reigns; r != nullptr; r = r->before)
    if (r->from <= e.clock) return r->owner;
  return kNoThread;
}

}  // namespace bigfoot::rt
