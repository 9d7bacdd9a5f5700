#include "runtime/clock/slots.h"

#include "runtime/base/pool.h"

namespace bigfoot::rt {

void SlotTable::start_reign(Entry& e, Clock from, ThreadId owner) {
  auto* r = static_cast<Reign*>(pool_allocate(sizeof(Reign)));
  *r = {from, owner, false, e.reigns};
  e.reigns = r;
}

void SlotTable::append(List& list, u32 i) {
  slots_[i].next_retired = 0;
  if (list.first == 0)
    list.first = i + 1;
  else
    slots_[list.last - 1].next_retired = i + 1;
  list.last = i + 1;
}

u32 SlotTable::take_first(List& list) {
  const u32 i = list.first - 1;
  list.first = slots_[i].next_retired;
  return i;
}

// Most programs join what they create, so the newest retired slot nearly always serves. The tries
// bound the search for those that never join.
u32 SlotTable::take_recent(const VectorClock& creator) {
  u32* link = &recent_;
  for (int tries = 0; *link != 0 && tries < kTries; ++tries) {
    const u32 i = *link - 1;
    if (serves(slots_[i], creator, i)) {
      *link = slots_[i].next_retired;
      store_relaxed(&unexamined_, unexamined_ - 1);
      return i;
    }
    link = &slots_[i].next_retired;
  }
  return kMaxSlots;
}

// What does not serve goes to the end: the next search tries others.
u32 SlotTable::take_examined(const VectorClock& creator) {
  for (int tries = 0; examined_.first != 0 && tries < kTries; ++tries) {
    const u32 i = take_first(examined_);
    if (serves(slots_[i], creator, i)) return i;
    append(examined_, i);
  }
  return kMaxSlots;
}

bool SlotTable::open(u32 i, ThreadId owner, StampTable& stamps, SlotLease& lease) {
  Entry& e = slots_[i];
  const Stamp s = stamps.next(e.last_stamp, {Slot{i}, e.last_clock});
  if (s == kNoStamp) {
    append(examined_, i);
    return false;
  }
  e.retired = false;
  start_reign(e, e.last_clock + 1, owner);
  lease = {Slot{i}, e.last_clock + 1, s, false};
  return true;
}

bool SlotTable::open_fresh(ThreadId owner, StampTable& stamps, SlotLease& lease) {
  if (count_ >= kMaxSlots) return false;
  const Slot slot{count_};
  const Stamp s = stamps.open(slot, 1);
  if (s == kNoStamp) return false;
  start_reign(slots_[count_], 1, owner);
  store_relaxed(&count_, count_ + 1);
  lease = {slot, 1, s, true};
  return true;
}

bool SlotTable::take(const VectorClock& creator, ThreadId owner, StampTable& stamps,
                     SlotLease& lease) {
  SpinGuard guard(lock_);
  u32 i = take_recent(creator);
  if (i == kMaxSlots) i = take_examined(creator);
  return i == kMaxSlots ? open_fresh(owner, stamps, lease) : open(i, owner, stamps, lease);
}

void SlotTable::retire(Epoch now, Stamp stamp, Clock last_used) {
  SpinGuard guard(lock_);
  Entry& e = slots_[index(now.slot)];
  e.last_used = last_used;
  e.last_clock = now.clock;
  e.last_stamp = stamp;
  e.retired = true;
  e.next_retired = recent_;
  recent_ = index(now.slot) + 1;
  store_relaxed(&unexamined_, unexamined_ + 1);
}

// Both go from the newest time to the oldest.
void SlotTable::note_mentions(const StampTable::ChunkState& chunk) {
  Entry& e = slots_[index(chunk.first.slot)];
  Reign* r = e.reigns;
  for (u32 offset = StampTable::kChunkStamps; offset-- != 0;) {
    if (!chunk.marks.at(offset)) continue;
    const Clock time = chunk.first.clock + offset;
    if (e.mentioned < time) e.mentioned = time;
    while (r != nullptr && r->from > time) r = r->before;
    if (r == nullptr) return;
    r->mentioned = true;
  }
}

// The newest stays: it says whose the slot is.
void SlotTable::drop_reigns(Entry& e) {
  for (Reign** link = &e.reigns->before; Reign* r = *link;) {
    if (r->mentioned) {
      r->mentioned = false;
      link = &r->before;
      continue;
    }
    *link = r->before;
    pool_free(r, sizeof(Reign));
  }
  e.reigns->mentioned = false;
}

void SlotTable::forget_unmentioned(const StampTable& stamps) {
  SpinGuard guard(lock_);
  for (u32 i = 0; i < count_; ++i) slots_[i].mentioned = 0;
  stamps.for_each_chunk([this](const StampTable::ChunkState& c) {
    if (c.marked) note_mentions(c);
  });
  recent_ = 0;
  examined_ = {};
  // Those that serve anybody come first, in the order of slots: so clocks stay narrow.
  List mentioned = {};
  for (u32 i = 0; i < count_; ++i) {
    Entry& e = slots_[i];
    drop_reigns(e);
    if (!e.retired) continue;
    if (e.last_used > e.mentioned) e.last_used = e.mentioned;
    append(e.last_used == 0 ? examined_ : mentioned, i);
  }
  if (examined_.first == 0)
    examined_ = mentioned;
  else if (mentioned.first != 0)
    slots_[examined_.last - 1].next_retired = mentioned.first, examined_.last = mentioned.last;
  store_relaxed(&unexamined_, 0u);
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
