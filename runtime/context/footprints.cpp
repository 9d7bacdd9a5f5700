#include "runtime/context/footprints.h"

namespace bigfoot::rt {

// The footprint gets what the cursor went over.
void Footprints::settle(Site& s) {
  PlaceFootprint& p = items_[s.now];
  u64 calls = s.again;
  s.again = 0;
  if (s.at > s.from) calls += (s.at - s.from) / s.step;
  if (s.at < s.from) calls += (s.from - s.at) / -s.step;
  p.calls += calls;
  calls_ += calls;
  if (s.at == s.from) return;
  s.from = s.at;
  if (s.at > p.f.last) p.f.last = s.at;
  if (s.at < p.f.begin) p.f.begin = s.at;
}

void Footprints::aim(Site& s, const Footprint& latest, Direction direction) {
  const PlaceFootprint& p = items_[s.now];
  BF_DCHECK(p.size != 0);
  // One access, or several side by side that are checked together.
  const bool single = latest.step == 0 && p.f.width % p.size == 0 && p.f.width <= kLargestSized;
  // A step that changes how the accesses are aligned would change their origin.
  const bool steady = p.f.step != 0 && phase_of({p.f.step, p.size}) == 0;
  s.at = s.from = single ? latest.begin : 0;
  s.step = kNowhere;
  if (single && steady) s.step = direction == Direction::kDown ? -p.f.step : p.f.step;
  s.low = p.room.begin;
  s.span = p.room.size - p.f.width;
}

bool Footprints::fits(const PlaceFootprint& p, AccessKind kind, const Footprint& f) {
  if (f.begin < p.room.begin || f.end() > p.room.end() || kind != p.kind) return false;
  // The origin knows where its accesses begin relative to their alignment.
  return phase_of({f.begin, p.size}) == p.phase;
}

// A repeated access costs a call here and nothing in the planes; what the planes cost more for the
// first one is that of three or four calls. Asked for each sweep, so that it does not matter when.
bool Footprints::repetitive(const PlaceFootprint& p) {
  constexpr u64 kRepeats = 5, kAtLeast = 256;
  return p.calls > kRepeats * p.f.count() + kAtLeast;
}

Footprints::Extended Footprints::extend(const PlaceKey& place, AccessKind kind,
                                        const Footprint& f) {
  Site* found = find(sites_, place);
  if (found == nullptr) return Extended::kNo;
  Site& s = *found;
  settle(s);
  uptr begin = items_[s.now].f.begin;
  if (!fits(items_[s.now], kind, f) || !items_[s.now].f.extend(f)) {
    begin = items_[s.before].f.begin;
    if (!fits(items_[s.before], kind, f) || !items_[s.before].f.extend(f)) return Extended::kNo;
    const u32 now = s.now;
    s.now = s.before;
    s.before = now;
  }
  ++items_[s.now].calls;
  aim(s, f, items_[s.now].f.begin < begin ? Direction::kDown : Direction::kUp);
  return repetitive(items_[s.now]) ? Extended::kRepetitive : Extended::kYes;
}

// Where the place's cursor is or will be: of the two that a call may have, one that is nobody's, or
// else that of the place that has begun nothing for longer.
Footprints::Site& Footprints::site_for(const PlaceKey& place) {
  if (Site* s = find(sites_, place)) return *s;
  Site& first = sites_[place.cursor];
  if (place.cursor < abi::kCursors || first.name == 0) return first;
  Site& second = sites_[place.cursor ^ 1];
  return second.name == 0 || second.now < first.now ? second : first;
}

void Footprints::begin(const PlaceKey& place, const PlaceFootprint& item) {
  Site& s = site_for(place);
  if (s.name == 0)
    used_[used_count_++] = static_cast<u16>(&s - sites_);
  else
    settle(s);
  const u32 before = s.name == place.name ? s.now : count_;
  items_[count_] = item;
  s.name = place.name;
  s.again = 0;
  s.now = count_++;
  s.before = before;
  aim(s, item.f, Direction::kUp);
}

void Footprints::close() {
  for (u32 i = 0; i < used_count_; ++i) {
    Site& s = sites_[used_[i]];
    settle(s);
    s = {};
  }
  used_count_ = 0;
}

void Footprints::clear() {
  BF_DCHECK(used_count_ == 0);
  for (u32 i = 0; i < count_; ++i) merged_ += items_[i].calls - 1;
  committed_ += count_;
  count_ = 0;
  calls_ = 0;
}

}  // namespace bigfoot::rt
