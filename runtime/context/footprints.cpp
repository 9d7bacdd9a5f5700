#include "runtime/context/footprints.h"

namespace bigfoot::rt {

namespace {

// Modulo 2^64. REQUIRES: `odd` is. Each step doubles the number of bits that are right, three at
// first.
u64 inverse_of(u64 odd) {
  u64 x = odd;
  for (int bits = 3; bits < 64; bits *= 2) x *= 2 - odd * x;
  return x;
}

}  // namespace

// The footprint gets what the cursor went over.
void Footprints::settle(u32 i) {
  const abi::Cursor& c = table_.cursors[i];
  Sweep& s = table_.sweeps[i];
  PlaceFootprint& p = items_[s.now];
  u64 calls = s.again;
  s.again = 0;
  if (c.at > s.from) calls += (c.at - s.from) / c.step;
  if (c.at < s.from) calls += (s.from - c.at) / -c.step;
  p.calls += calls;
  calls_ += calls;
  if (c.at == s.from) return;
  s.from = c.at;
  if (c.at > p.f.last) p.f.last = c.at;
  if (c.at < p.f.begin) p.f.begin = c.at;
}

void Footprints::aim(u32 i, const Footprint& latest, Direction direction) {
  abi::Cursor& c = table_.cursors[i];
  Sweep& s = table_.sweeps[i];
  const PlaceFootprint& p = items_[s.now];
  BF_DCHECK(p.size != 0);
  // One access, or several side by side that are checked together.
  const bool single = latest.step == 0 && p.f.width % p.size == 0 && p.f.width <= kLargestSized;
  // A step that changes how the accesses are aligned would change their origin.
  const bool steady = p.f.step != 0 && phase_of({p.f.step, p.size}) == 0;
  c.at = s.from = single ? latest.begin : 0;
  c.step = kNowhere;
  if (single && steady) c.step = direction == Direction::kDown ? -p.f.step : p.f.step;
  c.low = p.room.begin;
  c.span = p.room.size - p.f.width;
}

// All of the latest footprint: of a site, each element is one access, as wide as the one that asks.
void Footprints::show_covered(u32 i) {
  abi::Cursor& c = table_.cursors[i];
  const Footprint& f = items_[table_.sweeps[i].now].f;
  const usize apart = f.step == 0 ? 1 : f.step;
  const unsigned shift = static_cast<unsigned>(__builtin_ctzll(apart));
  if (usize& known = table_.sweeps[i].apart; known != apart) {
    c.inverse = inverse_of(apart >> shift);
    known = apart;
  }
  c.first = f.begin;
  c.extent = (f.count() - 1) << 6 | shift;
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
  const abi::Cursor* found = find(table_.cursors, place);
  if (found == nullptr) return Extended::kNo;
  const u32 i = static_cast<u32>(found - table_.cursors);
  Sweep& s = table_.sweeps[i];
  settle(i);
  uptr begin = items_[s.now].f.begin, last = items_[s.now].f.last;
  if (!fits(items_[s.now], kind, f) || !items_[s.now].f.extend(f)) {
    begin = items_[s.before].f.begin;
    last = items_[s.before].f.last;
    if (!fits(items_[s.before], kind, f) || !items_[s.before].f.extend(f)) return Extended::kNo;
    const u32 now = s.now;
    s.now = s.before;
    s.before = now;
  }
  ++items_[s.now].calls;
  // Only instrumented code, which has sites, looks for that.
  const bool again =
      i < abi::kCursors && items_[s.now].f.begin == begin && items_[s.now].f.last == last;
  table_.cursors[i].place = place.name + (again ? abi::kAgain : 0);
  if (again) show_covered(i);
  aim(i, f, items_[s.now].f.begin < begin ? Direction::kDown : Direction::kUp);
  return repetitive(items_[s.now]) ? Extended::kRepetitive : Extended::kYes;
}

// Where the place's cursor is or will be: of the two that a call may have, one that is nobody's, or
// else that of the place that has begun nothing for longer.
u32 Footprints::cursor_for(const PlaceKey& place) const {
  const u32 first = static_cast<u32>(place.cursor), second = first ^ 1;
  const abi::Cursor* cursors = table_.cursors;
  if (first < abi::kCursors || is_of(cursors[first], place)) return first;
  if (is_of(cursors[second], place)) return second;
  if (cursors[first].place == 0) return first;
  const bool older = table_.sweeps[second].now < table_.sweeps[first].now;
  return cursors[second].place == 0 || older ? second : first;
}

void Footprints::begin(const PlaceKey& place, const PlaceFootprint& item) {
  const u32 i = cursor_for(place);
  abi::Cursor& c = table_.cursors[i];
  Sweep& s = table_.sweeps[i];
  if (c.place == 0)
    used_[used_count_++] = static_cast<u16>(i);
  else
    settle(i);
  const u32 before = is_of(c, place) ? s.now : count_;
  items_[count_] = item;
  c.place = place.name;
  s.again = 0;
  s.now = count_++;
  s.before = before;
  aim(i, item.f, Direction::kUp);
}

void Footprints::close() {
  for (u32 i = 0; i < used_count_; ++i) {
    settle(used_[i]);
    // What it covers stays: this may be another thread, which has stopped the owner outside of the
    // run time, where it may be looking at that. It compares the place last.
    table_.cursors[used_[i]].place = 0;
    table_.cursors[used_[i]].at = 0;
    table_.sweeps[used_[i]] = {};
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
