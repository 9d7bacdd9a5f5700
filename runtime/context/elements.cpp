// Ranges of elements, which a moved or merged check stands for.
#include "runtime/context/claimed_run.h"
#include "runtime/context/events.h"
#include "runtime/context/runtime.h"
#include "runtime/context/slow_path.h"
#include "runtime/detect/quick_range.h"

namespace bigfoot::rt {
namespace {

template <bool kWrites>
class Walk {
 public:
  Walk(Thread& t, u32 size, Pc pc) : t_(t), me_(observer(t)), size_(size), pc_(pc) {}
  ~Walk() {
    if (recorded_) note_recorded(t_);
  }

  // Aligned pieces of G bytes, `step` bytes apart.
  template <unsigned G>
  void pieces(uptr a, uptr end, usize step) {
    for (; a < end; a += step) {
      if (BF_LIKELY(quickly<G>(a))) continue;
      if constexpr (G == 8)
        if (step == 8)
          if (const usize shared = group(a, end); shared != 0) {
            a += shared - 8;
            continue;
          }
      if constexpr (G != 8)
        if (in_parts(a, a + G)) continue;
      full_access<G, kWrites>(a, pc_);
    }
  }

  // Small elements side by side: a word of them has one history as long as it is accessed as a
  // whole.
  template <unsigned G>
  void words_of(uptr a, uptr end) {
    const uptr first = (a + 7) & ~uptr{7}, last = end & ~uptr{7};
    if (first > last) return within_word<G>(a, end);
    within_word<G>(a, first);
    for (uptr word = first; word < last; word += 8)
      if (!whole_or_in_parts(word)) pieces<G>(word, word + 8, G);
    within_word<G>(last, end);
  }

  // Elements of other sizes, or not aligned.
  void odd(uptr a, uptr end) {
    flush();
    for (; a < end; a += size_)
      access_range(t_, {a, end - a < size_ ? end - a : size_}, kKind, pc_);
  }

 private:
  static constexpr AccessKind kKind = kWrites ? AccessKind::kWrite : AccessKind::kRead;

  bool whole_or_in_parts(uptr word) {
    const Cell* cell = shadow::cell_if_present<8>(word);
    const bool divided = cell != nullptr && is_special(load_relaxed(&cell->write));
    return (!divided && BF_LIKELY(quickly<8>(word))) || in_parts(word, word + 8);
  }

  // Some elements of one word.
  template <unsigned G>
  void within_word(uptr a, uptr end) {
    if (a >= end) return;
    blocks_.template enter<8>(a);
    if (G == 1 || has_history(a)) {
      if (in_parts(a, end)) return;
    } else if (a + G < end && first_in_word(a, end, Division::pieces(G))) {
      return;
    }
    pieces<G>(a, end, G);
  }
  static bool has_history(uptr a) {
    const Cell* cell = shadow::cell_if_present<8>(a);
    return cell != nullptr && !load_cell(cell).blank();
  }

  template <unsigned G>
  bool quickly(uptr a) {
    blocks_.template enter<G>(a);
    if (!kWrites && detail::read_is_settled<G>(a)) return true;
    Quick q = quick_access<G, kWrites>(
        a, me(), [this] { return origin(); }, rules());
    recorded_ |= leaves_stamp(q);
    if (BF_LIKELY(is_done(q))) return true;
    flush();
    return false;
  }
  // What QuickRange asks of an access.
  struct Access {
    Walk& walk;
    const Observer& me() const { return walk.me(); }
    Origin origin() { return walk.origin(); }
    bool has_read(u32 read) const { return detail::is_known_read(read); }
    auto rules() const { return walk.rules(); }
  };
  // Words that share their history with those behind them; see QuickRange::group.
  usize group(uptr a, uptr end) {
    Access access{*this};
    QuickRange<kWrites, Access> quick(access);
    const usize done = quick.group(a, end);
    recorded_ |= quick.recorded();
    return done;
  }
  bool first_in_word(uptr a, uptr end, Division d) {
    Access access{*this};
    QuickRange<kWrites, Access> quick(access);
    const bool done = quick.first(a, end, d);
    recorded_ |= quick.recorded();
    return done;
  }
  // The bytes [a, end) of a word that is divided for accesses of other sizes.
  bool in_parts(uptr a, uptr end) {
    Access access{*this};
    QuickRange<kWrites, Access> quick(access);
    const bool done = quick.word(a, end);
    recorded_ |= quick.recorded();
    if (!done) flush();
    return done;
  }
  detail::RulesOf<kWrites> rules() const { return {t_, {0, size_}, kKind, pc_}; }
  // The same for all elements: asked for once.
  Origin origin() {
    if (origin_ == kNoOrigin) origin_ = t_.origins.get(runtime.depot, place(t_, pc_, kKind, size_));
    return origin_;
  }
  // Before the full path, which may collect.
  void flush() {
    if (recorded_) note_recorded(t_);
    recorded_ = false;
    me_.ordered_write = me_.ordered_read = 0;
  }
  // And behind it the thread may be in another epoch: a listener that was told of a race may
  // synchronise.
  const Observer& me() {
    me_.stamp = t_.stamp;
    return me_;
  }

  Thread& t_;
  Observer me_;
  u32 size_;
  Pc pc_;
  shadow::BlocksOfAWalk blocks_;
  Origin origin_ = kNoOrigin;
  bool recorded_ = false;
};

template <bool kWrites>
void contiguous(Walk<kWrites>& walk, u32 size, uptr a, uptr end) {
  const bool aligned = ((a | (end - a)) & (size - 1)) == 0;
  if (aligned && size == 8) return walk.template pieces<8>(a, end, 8);
  if (aligned && size == 4) return walk.template words_of<4>(a, end);
  if (aligned && size == 2) return walk.template words_of<2>(a, end);
  if (size == 1) return walk.template words_of<1>(a, end);
  walk.odd(a, end);
}

template <bool kWrites>
void all_elements(Thread& t, const ElementRange& r, uptr end, Pc pc) {
  Walk<kWrites> walk(t, r.size, pc);
  if (r.step == r.width) return contiguous(walk, r.size, r.begin, end);
  const bool words = r.width == 8 && r.size == 8 && ((r.begin | r.step) & 7) == 0;
  if (words) return walk.template pieces<8>(r.begin, end, r.step);
  const bool halves = r.width == 4 && r.size == 4 && ((r.begin | r.step) & 3) == 0;
  if (halves) return walk.template pieces<4>(r.begin, end, r.step);
  for (uptr a = r.begin; a < end; a += r.step) contiguous(walk, r.size, a, a + r.width);
}

}  // namespace

void access_elements(Thread& t, const ElementRange& r, Pc pc) {
  if (r.extent == 0 || runtime.single || t.ignore_accesses != 0) return;
  const uptr end = r.begin + r.extent;
  if (!shadow::covers(r.begin) || !shadow::covers(end + r.width)) return;
  const bool contiguous = r.step == r.width;
  const SettledRange range{r.begin, end, contiguous ? 1 : r.step, contiguous ? 1 : r.width};
  if (const u32 now = load_relaxed(&runtime.memory_generation);
      BF_UNLIKELY(now != t.settled_generation)) {
    t.settled.forget_all();
    t.settled_generation = now;
  }
  const Clock time = t.clock;  // a listener that is told of a race may synchronise
  if (t.settled.contains(pc, time, range)) return;
  RuntimeScope scope;
  if (!contiguous && claimed_elements(t, r, pc))
    ;  // in blocks that are in no array
  else if (BF_UNLIKELY(runtime.arrays_on) && array_elements(t, r, pc))
    ;  // in a footprint
  else if (is_write(r.kind))
    all_elements<true>(t, r, end, pc);
  else
    all_elements<false>(t, r, end, pc);
  t.settled.add(pc, time, range);
}

}  // namespace bigfoot::rt
