#include "runtime/verify/trace.h"

#include "runtime/base/pool.h"
#include "runtime/base/string.h"

namespace bigfoot::rt::verify {
namespace {

constexpr ByteRange kEverything{0, ~usize{0}};

// Above this a release drops the lines of the past; below, it is not worth the walk.
constexpr usize kManyLines = usize{1} << 14;

constexpr uptr line_of(uptr a) {
  return a & ~uptr{kLineBytes - 1};
}

// The bytes of `range` on the line that begins at `line`, which it touches.
ByteMask on_line(ByteRange range, uptr line) {
  const usize first = range.begin > line ? range.begin - line : 0;
  const usize end = range.end() - line < kLineBytes ? range.end() - line : kLineBytes;
  const ByteMask up_to_end = end == kLineBytes ? ~ByteMask{0} : (ByteMask{1} << end) - 1;
  return up_to_end & (~ByteMask{0} << first);
}

// f(first address of the line, the range's bytes on it), for every line of the range.
template <class F>
void for_each_line(ByteRange range, F f) {
  for (uptr line = line_of(range.begin); line < range.end(); line += kLineBytes)
    f(line, on_line(range, line));
}

u64 count_of(ByteMask m) {
  return static_cast<u64>(__builtin_popcountll(m));
}

}  // namespace

void WaitingList::push(const Waiting& w) {
  if (size_ == capacity_) {
    const usize wanted = capacity_ == 0 ? 64 : 2 * capacity_;
    auto* bigger = static_cast<Waiting*>(pool_allocate(wanted * sizeof(Waiting)));
    if (items_ != nullptr) {
      copy_bytes(bigger, items_, size_ * sizeof(Waiting));
      pool_free(items_, capacity_ * sizeof(Waiting));
    }
    items_ = bigger;
    capacity_ = wanted;
  }
  items_[size_++] = w;
}

void WaitingList::release_storage() {
  if (items_ != nullptr) pool_free(items_, capacity_ * sizeof(Waiting));
  items_ = nullptr;
  size_ = capacity_ = 0;
}

// Accesses that wait or checks that wait: both are handled alike.
struct Trace::Side {
  WaitingList& list;
  u64& waiting;
  ByKind Line::*on_line;
  bool is_check;
};

Trace::Side Trace::accesses_side() {
  return {waiting_accesses_, bytes_waiting_for_check_, &Line::waiting_accesses, false};
}
Trace::Side Trace::checks_side() {
  return {waiting_checks_, bytes_waiting_for_access_, &Line::waiting_checks, true};
}

void Trace::wait(WaitingList& list, u64& waiting, ByteMask& on_line, const Waiting& w) {
  const ByteMask more = w.bytes & ~on_line;
  if (more == 0) return;
  // With nothing left waiting, what the list says is history.
  if (waiting == 0) list.clear();
  list.push({w.line, more, w.site, w.writes});
  on_line |= more;
  waiting += count_of(more);
}

void Trace::settle(u64& waiting, ByteMask& on_line, ByteMask bytes) {
  waiting -= count_of(on_line & bytes);
  on_line &= ~bytes;
}

void Trace::access(ByteRange bytes, bool writes, Site site) {
  ++accesses_;
  for_each_line(bytes, [&](uptr begin, ByteMask mask) {
    Line& l = lines_.get(begin, span_);
    const ByteMask uncovered = mask & ~l.checked.of(writes);
    wait(waiting_accesses_, bytes_waiting_for_check_, l.waiting_accesses.of(writes),
         {begin, uncovered, site, writes});
    settle(bytes_waiting_for_access_, l.waiting_checks.read, mask);
    l.accessed.read |= mask;
    if (!writes) return;
    settle(bytes_waiting_for_access_, l.waiting_checks.write, mask);
    l.accessed.write |= mask;
  });
}

void Trace::check(ByteRange bytes, bool writes, Site site) {
  for_each_line(bytes, [&](uptr begin, ByteMask mask) {
    Line& l = lines_.get(begin, span_);
    const ByteMask unjustified = mask & ~l.accessed.of(writes);
    wait(waiting_checks_, bytes_waiting_for_access_, l.waiting_checks.of(writes),
         {begin, unjustified, site, writes});
    settle(bytes_waiting_for_check_, l.waiting_accesses.read, mask);
    l.checked.read |= mask;
    if (!writes) return;
    settle(bytes_waiting_for_check_, l.waiting_accesses.write, mask);
    l.checked.write |= mask;
  });
}

// The newest entry of a byte is the one that still waits: what settled the byte settled the older
// ones.
void Trace::judge_waiting(Side side, ByteRange bytes, Moment moment, const Judge& judge) {
  for (usize i = side.list.size(); i > 0 && side.waiting != 0; --i) {
    const Waiting& w = side.list[i - 1];
    if (w.line + kLineBytes <= bytes.begin || w.line >= bytes.end()) continue;
    Line* l = lines_.find(w.line);
    if (l == nullptr) continue;
    ByteMask& still = (l->*side.on_line).of(w.writes);
    const ByteMask bad = still & w.bytes & on_line(bytes, w.line);
    if (bad == 0) continue;
    settle(side.waiting, still, bad);
    const auto first = static_cast<unsigned>(__builtin_ctzll(bad));
    judge.violation(judge.context, {side.is_check, w.writes, w.site, w.line + first,
                                    static_cast<u32>(count_of(bad)), moment});
  }
  if (side.waiting == 0) side.list.clear();
}

void Trace::acquired(const Judge& judge) {
  judge_waiting(accesses_side(), kEverything, Moment::kAcquire, judge);
  judge_waiting(checks_side(), kEverything, Moment::kAcquire, judge);
}

void Trace::releasing() {
  ++span_;
  if (lines_.size() > kManyLines) lines_.keep_waiting();
}

void Trace::memory_ends(ByteRange bytes, const Judge& judge) {
  judge_waiting(accesses_side(), bytes, Moment::kMemoryEnds, judge);
  judge_waiting(checks_side(), bytes, Moment::kMemoryEnds, judge);
  auto forget = [&](Line& l) {
    if (l.begin + kLineBytes <= bytes.begin || l.begin >= bytes.end()) return;
    const ByteMask keep = ~on_line(bytes, l.begin);
    l.checked = {l.checked.read & keep, l.checked.write & keep};
    l.accessed = {l.accessed.read & keep, l.accessed.write & keep};
  };
  if (bytes.size / kLineBytes > lines_.size()) return lines_.for_each(forget);
  for_each_line(bytes, [&](uptr begin, ByteMask) {
    if (Line* l = lines_.find(begin)) forget(*l);
  });
}

void Trace::thread_ends(const Judge& judge) {
  judge_waiting(accesses_side(), kEverything, Moment::kThreadEnds, judge);
  judge_waiting(checks_side(), kEverything, Moment::kThreadEnds, judge);
}

void Trace::release_storage() {
  lines_.release_storage();
  waiting_accesses_.release_storage();
  waiting_checks_.release_storage();
}

}  // namespace bigfoot::rt::verify
