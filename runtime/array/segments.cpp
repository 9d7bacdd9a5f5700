#include "runtime/array/segments.h"

#include "runtime/base/numbers.h"

namespace bigfoot::rt {
namespace {

// A segment costs what three to six cells of the planes cost, so one for 64 bytes is still a gain.
// Three megabytes at most: sor on a grid of 1000 rows needs four cells for each of them, lufact of
// order 1000 eight.
constexpr usize kMaxCells = 65536;
constexpr usize kMinCells = 16;
constexpr usize kBytesPerCell = 64;
// Of one period: structs of up to 64 units.
constexpr usize kMaxPeriodCells = 64;
// Strided footprints of so few elements are cut out one by one.
constexpr usize kFewElements = 2;
// So few are cleared one by one; more are taken out at once, which needs another list.
constexpr u32 kFewSegments = 4;

}  // namespace

void Segments::start(usize bytes) {
  bytes_ = bytes;
  cells_ = 1;
  items_.clear();
  items_.push(Segment{});
}

void Segments::drop_periods() {
  for (u32 i = 0; has_periods() && i < items_.size(); ++i) {
    cells_ -= items_[i].cells() - 1;
    drop_cells(items_[i]);
  }
}

void Segments::release_storage() {
  drop_periods();
  items_.release_storage();
  cells_ = 0;
}

usize Segments::cap() const {
  const usize cap = bytes_ / kBytesPerCell;
  return cap < kMinCells ? kMinCells : cap > kMaxCells ? kMaxCells : cap;
}

// The segment that has the byte. Footprints come in the order of the program's accesses, so it is
// looked for where the last one was, in steps that double: lufact commits some eight to each
// column.
u32 Segments::find(usize at) const {
  const u32 size = items_.size();
  u32 low = near_ < size ? near_ : 0, high = low + 1;
  for (u32 step = 1; high < size && items_[high].begin <= at; step *= 2) {
    low = high;
    high += step < size - high ? step : size - high;
  }
  for (u32 step = 1; items_[low].begin > at; step *= 2) {
    high = low;
    low -= step < low ? step : low;
  }
  while (high - low > 1) {
    const u32 middle = low + (high - low) / 2;
    if (items_[middle].begin <= at)
      low = middle;
    else
      high = middle;
  }
  near_ = low;
  return low;
}

void Segments::drop_cells(Segment& s) {
  if (s.period != 0) pool_free(s.many, s.cells() * sizeof(Cell));
  s.many = nullptr;
  s.period = s.unit = 0;
}

void Segments::make_uniform(Segment& s, const Cell& c) {
  const Cell kept = c;
  cells_ -= s.cells() - 1;
  drop_cells(s);
  s.one = kept;
}

void Segments::collapse(Segment& s) {
  if (s.period == 0) return;
  for (u32 i = 1; i < s.cells(); ++i)
    if (!(s.many[i] == s.many[0])) return;
  make_uniform(s, s.many[0]);
}

// Segment i becomes two, the second from `at` on.
void Segments::cut(u32 i, usize at) {
  BF_DCHECK(items_[i].begin < at && at < end_of(i));
  Segment second = items_[i];
  second.begin = at;
  if (second.period != 0) {
    second.many = static_cast<Cell*>(pool_allocate(second.cells() * sizeof(Cell)));
    for (u32 k = 0; k < second.cells(); ++k) second.many[k] = items_[i].many[k];
  }
  cells_ += second.cells();
  items_.insert(i + 1, second);
}

// Segment i loses what lies outside of [begin, end); i is the one inside afterwards.
void Segments::isolate(u32& i, usize begin, usize end) {
  if (items_[i].begin < begin) cut(i++, begin);
  if (end < end_of(i)) cut(i, end);
}

bool Segments::same(const Segment& a, const Segment& b) const {
  if (a.period != b.period || a.unit != b.unit) return false;
  if (a.period == 0) return a.one == b.one;
  for (u32 i = 0; i < a.cells(); ++i)
    if (!(a.many[i] == b.many[i])) return false;
  return true;
}

// Joins equal neighbours in and next to [begin, end). Segment i has the byte `begin` or ends there.
void Segments::join_around(u32 i, usize begin, usize end) {
  u32 kept = i > 0 && items_[i].begin == begin ? i - 1 : i;
  for (i = kept + 1; i < items_.size() && items_[i].begin <= end; ++i) {
    if (same(items_[kept], items_[i])) {
      cells_ -= items_[i].cells();
      drop_cells(items_[i]);
    } else if (++kept != i) {
      items_[kept] = items_[i];
    }
  }
  if (kept + 1 < i) items_.erase(kept + 1, i);
}

PartBytes Segments::part(u32 i, u32 cell) const {
  const Segment& s = items_[i];
  if (s.period == 0) return {s.begin, end_of(i)};
  return {s.begin, end_of(i), s.period, usize{cell} * s.unit, s.unit};
}

void Segments::apply_range(Commit& c, u32 i) {
  Segment& s = items_[i];
  if (s.period == 0) return c.apply(s.one, part(i, 0));
  for (u32 k = 0; k < s.cells(); ++k)
    if (const PartBytes bytes = part(i, k); !bytes.empty()) c.apply(s.many[k], bytes);
  collapse(s);
}

bool Segments::commit_range(Commit& c, usize begin, usize end) {
  bool changed = false;
  const u32 first = find(begin);
  for (u32 i = first; i < items_.size() && items_[i].begin < end; ++i) {
    const Segment& s = items_[i];
    bool settled = true;
    for (u32 k = 0; k < s.cells() && settled; ++k)
      settled = c.settled(s.period == 0 ? s.one : s.many[k]);
    if (settled) continue;
    isolate(i, begin, end);
    apply_range(c, i);
    changed = true;
  }
  if (changed) join_around(first, begin, end);
  return within_cap();
}

// Whether some segment could get a period for the class: with a period of its own it would need no
// fewer cells than a uniform one.
bool Segments::may_be_period(const Class& k) {
  return k.period / gcd(gcd(k.period, k.offset), k.width) <= kMaxPeriodCells;
}

// The segment gets a period that has the class as a union of its units. False if it would need too
// many.
bool Segments::make_periodic(Segment& s, const Class& k) {
  usize period = k.period;
  usize unit = gcd(gcd(k.period, k.offset), k.width);
  if (s.period != 0) {
    if (k.period % s.period != 0 && s.period % k.period != 0) return false;
    if (s.period > period) period = s.period;
    unit = gcd(unit, s.unit);
  }
  const usize count = period / unit;
  BF_DCHECK(count > 1);
  if (count > kMaxPeriodCells) return false;
  if (s.period == period && s.unit == unit) return true;
  auto* many = static_cast<Cell*>(pool_allocate(count * sizeof(Cell)));
  for (usize i = 0; i < count; ++i)
    many[i] = s.period == 0 ? s.one : s.many[i * unit % s.period / s.unit];
  cells_ += count - s.cells();
  drop_cells(s);
  s.period = static_cast<u32>(period);
  s.unit = static_cast<u32>(unit);
  s.many = many;
  return true;
}

bool Segments::touches_settled_only(const Commit& c, const Segment& s, const Class& k) const {
  if (s.period == 0) return c.settled(s.one);
  // Any unit that has a byte of the class, in any of the periods of the two.
  for (u32 i = 0; i < s.cells(); ++i) {
    const usize from = usize{i} * s.unit;
    bool touched = s.period % k.period != 0;  // of different lengths: taken for touched
    for (usize at = k.offset; at < s.period && !touched; at += k.period)
      touched = from < at + k.width && at < from + s.unit;
    if (touched && !c.settled(s.many[i])) return false;
  }
  return true;
}

// REQUIRES: the segment's period and unit came from make_periodic for this class.
void Segments::apply_class(Commit& c, u32 i, const Class& k) {
  Segment& s = items_[i];
  for (usize at = k.offset; at < s.period; at += k.period)
    for (usize cell = at / s.unit; cell < (at + k.width) / s.unit; ++cell)
      if (const PartBytes bytes = part(i, static_cast<u32>(cell)); !bytes.empty())
        c.apply(s.many[cell], bytes);
  collapse(s);
}

// Every element of a strided footprint, at once; false if they have no period that could be kept.
// Rounded to whole periods the range has no more elements of the class than the footprint, and the
// fields of a struct make the same cuts.
bool Segments::commit_class(Commit& c, const Footprint& f) {
  const Class k{f.step, f.begin % f.step, f.width};
  if (k.offset + k.width > k.period) {  // it reaches over the end of the period: two classes
    const usize first = k.period - k.offset;
    return commit_class(c, {f.begin, f.last, f.step, first}) &&
           commit_class(c, {f.begin + first, f.last + first, f.step, f.width - first});
  }
  if (!may_be_period(k)) return false;
  const usize begin = f.begin - k.offset;
  usize end = f.last - k.offset + k.period;
  if (end > bytes_) end = bytes_;
  bool changed = false, done = true;
  const u32 first = find(begin);
  for (u32 i = first; i < items_.size() && items_[i].begin < end && done; ++i) {
    if (touches_settled_only(c, items_[i], k)) continue;
    isolate(i, begin, end);
    done = make_periodic(items_[i], k);
    if (done) apply_class(c, i, k);
    changed = true;
  }
  if (changed) join_around(first, begin, end);
  return done;
}

bool Segments::commit(Commit& c) {
  const Footprint& f = c.footprint();
  BF_DCHECK(!f.empty() && f.end() <= bytes_);
  if (f.contiguous()) return commit_range(c, f.begin, f.end());
  if (f.count() > kFewElements && commit_class(c, f)) return within_cap();
  for (usize a = f.begin; a <= f.last; a += f.step)
    if (!commit_range(c, a, a + f.width)) return false;
  return true;
}

bool Segments::clear(usize begin, usize end) {
  if (begin < end && find(end - 1) - find(begin) > kFewSegments) {
    Segments blank{};
    blank.start(end);
    blank.items_[0].begin = begin;
    return replace(blank);
  }
  for (u32 i = find(begin); i < items_.size() && items_[i].begin < end; ++i) {
    isolate(i, begin, end);
    make_uniform(items_[i], Cell{});
  }
  join_around(begin, end);
  return within_cap();
}

// A copy of a segment gets cells of its own, for bytes that were at `from` and are at `to`. Periods
// count from the array's start, so the cells change places.
bool Segments::copy_cells(Segment& s, usize from, usize to) {
  if (s.period == 0) return true;
  const usize forward = from == to ? 0 : (to % s.period + s.period - from % s.period) % s.period;
  const usize unit = forward == 0 ? s.unit : gcd(s.unit, forward);
  const usize count = s.period / unit;
  if (count > kMaxPeriodCells) return false;
  auto* many = static_cast<Cell*>(pool_allocate(count * sizeof(Cell)));
  for (usize i = 0; i < count; ++i)
    many[i] = s.many[forward == 0 ? i : (i * unit + s.period - forward) % s.period / s.unit];
  s.unit = static_cast<u32>(unit);
  s.many = many;
  return true;
}

bool Segments::copy(usize begin, usize end, usize at, Segments& part) const {
  const u32 first = find(begin), count = find(end - 1) - first + 1;
  part.items_.clear();
  part.items_.insert(0, items_, first, count);
  part.cells_ = count;
  part.bytes_ = at + (end - begin);
  for (u32 i = 1; i < count && at != begin; ++i) part.items_[i].begin += at - begin;
  part.items_[0].begin = at;
  for (u32 i = 0; i < count && has_periods(); ++i) {
    if (!copy_cells(part.items_[i], begin, at)) {
      part.items_.erase(i, count);  // the rest has the cells of this list
      part.cells_ -= count - i;
      part.release_storage();
      return false;
    }
    part.cells_ += part.items_[i].cells() - 1;
  }
  return true;
}

void Segments::copy_all_to(Segments& to) const {
  BF_DCHECK(bytes_ == to.bytes_);
  to.drop_periods();
  to.items_.clear();
  to.items_.insert(0, items_, 0, items_.size());
  to.cells_ = cells_;
  for (u32 i = 0; has_periods() && i < items_.size(); ++i) copy_cells(to.items_[i], 0, 0);
}

void Segments::move_all_to(Segments& to) {
  BF_DCHECK(bytes_ == to.bytes_);
  to.drop_periods();
  const GapList<Segment> room = to.items_;
  to.items_ = items_;
  to.cells_ = cells_;
  items_ = room;
  start(bytes_);
}

bool Segments::replace(Segments& part) {
  const usize begin = part.items_[0].begin, end = part.bytes_;
  if (begin == 0 && end == bytes_) {
    release_storage();
    items_ = part.items_;
    cells_ = part.cells_;
    part = {};
    return within_cap();
  }
  u32 first = find(begin);
  if (items_[first].begin < begin) cut(first++, begin);
  const u32 last = find(end - 1);
  if (end < end_of(last)) cut(last, end);
  for (u32 i = first; i <= last; ++i) {
    cells_ -= items_[i].cells();
    drop_cells(items_[i]);
  }
  items_.erase(first, last + 1);
  items_.insert(first, part.items_, 0, part.items_.size());
  cells_ += part.cells_;
  part.items_.release_storage();
  part.cells_ = 0;
  // Neighbours in the part are not equal, so nothing joins but at its ends.
  join_around(end, end);
  join_around(begin, begin);
  return within_cap();
}

void Segments::resize(usize bytes) {
  if (bytes > bytes_) {
    const usize old = bytes_;
    cells_ += 1;
    items_.push(Segment{});
    items_.back().begin = old;
    bytes_ = bytes;
    return join_around(old, bytes);
  }
  while (items_.size() > 1 && items_.back().begin >= bytes) {
    cells_ -= items_.back().cells();
    drop_cells(items_.back());
    items_.erase(items_.size() - 1, items_.size());
  }
  bytes_ = bytes;
}

bool Segments::valid() const {
  usize cells = 0;
  for (u32 i = 0; i < items_.size(); ++i) {
    const Segment& s = items_[i];
    cells += s.cells();
    if (s.begin != 0 && i == 0) return false;
    if (s.begin >= end_of(i)) return false;
    if (s.period != 0 && (s.many == nullptr || s.period % s.unit != 0 || s.cells() < 2))
      return false;
    if (i > 0 && same(items_[i - 1], s)) return false;
  }
  return cells == cells_;
}

}  // namespace bigfoot::rt
