// The shortcut of quick.h for runs of bytes: word by word, each as a whole or by the parts it is
// divided into. As there, whatever is out of the ordinary is left to the detector.
#pragma once

#include "runtime/detect/groups.h"
#include "runtime/detect/quick.h"

namespace bigfoot::rt {
namespace detail {

// Bytes that are whole parts of their word, in a block that the epoch has to itself. Nothing has to
// be asked of their cells, not even whether it has accessed them already: then this is as good a
// place to name in a report.
template <bool kWrites>
inline void record_claimed_parts(Division d, uptr a, uptr stop, u32 mine, u32 from) {
  const uptr word_address = a & ~uptr{7};
  Cell* const cells = words::part_cell(d, word_address);
  const auto record = [&](Cell* cell) {
    record_claimed<kWrites>(cell, kWrites ? load_cell(cell) : Cell{}, mine, from);
  };
  if (stop - a == 8 && d == Division::pieces(1)) {
    for (unsigned i = 0; i < 8; ++i) record(&cells[i]);
  } else {
    const auto shift = static_cast<unsigned>(__builtin_ctz(d.plane()));
    for (; a < stop; a = word_address + d.end_of(a & 7)) record(&cells[(a & 7) >> shift]);
  }
}

}  // namespace detail

// `Access` is who accesses and what it has at hand:
//   Observer me() const;
//   Origin origin();                  // the same for all words, kNoOrigin if not at hand
//   bool has_read(u32 read) const;    // a cell's read word tells of a read of this epoch
//   auto rules();                     // see quick.h
template <bool kWrites, class Access>
class QuickRange {
 public:
  explicit QuickRange(Access& access) : access_(access), me_(access.me()) {}

  // Some cell now carries the stamp of the current epoch.
  bool recorded() const { return recorded_; }
  // After a point at which the thread may have synchronised (a listener that was told of a race),
  // or names of epochs may have been collected.
  void look_again() {
    me_.stamp = access_.me().stamp;
    me_.ordered_write = me_.ordered_read = 0;
  }

  // The bytes [a, stop) of one word. False if anything is left to the detector; what was done is
  // then done again by it, at no harm.
  [[gnu::always_inline]] bool word(uptr a, uptr stop) {
    Cell* word = shadow::cell_if_present<8>(a);
    if (word == nullptr) return false;
    const u64 half = load_acquire(reinterpret_cast<const u64*>(word));
    const u32 mark = static_cast<u32>(half);
    if (!is_special(mark)) {
      if (stop - a == 8) return whole(a);
      if (!word->has_sync() && settled<8>(a)) return true;
      const bool blank = half == 0 && load_relaxed(&word->read) == 0;
      if (!blank || !is_piece(a & 7, bytes_before(a, stop))) return by_mask(word, a, stop);
      return first(a, stop, divided_for(0, a & 7, bytes_before(a, stop)));
    }
    if (is_masked(mark)) return by_mask(word, a, stop);
    // With an atomic in the word, a change going on, or a history elsewhere: not quick.
    if (half >> 32 != 0 || mark == kBusy || is_follower(mark)) return false;
    const Division d(mark);
    const unsigned from = a & 7, to = bytes_before(a, stop);
    if (!d.cuts(from, to)) return parts_around_are_settled(d, a, stop) || rewrite(word, a, stop);
    if (kWrites && write_joins(d, from, to)) return join(word, d, {a, stop - a});
    if (right_to(a, me_) == Right::kClaimed) return claimed_parts(d, a, stop);
    if (d.plane() == 2) return pieces<2>(a, stop);
    if (d.plane() == 4) return pieces<4>(a, stop);
    return parts(word, d, a, stop);
  }

  // The bytes [a, stop) of a word that has no history, if that is so: it gets one in parts. One
  // compare-and-swap for all of them.
  bool first(uptr a, uptr stop, Division d) {
    const uptr word_address = a & ~uptr{7};
    Cell* word = shadow::cell_if_present<8>(a);
    // Shadow has to be made by the full path, in both planes; see quick_cell().
    if (word == nullptr || shadow::is_fresh<8>(a)) return false;
    if (words::with_granularity(d.plane(), [&]<unsigned G>() { return shadow::is_fresh<G>(a); }))
      return false;
    if (shadow::first_records_are_counted || !(load_cell(word) == Cell{})) return false;
    const Right right = right_to(a, me_);
    if (right == Right::kNone) return false;
    const u32 from = raw(access_.origin());
    if (from == raw(kNoOrigin) || !take_word(word, Cell{}, right)) return false;
    const u32 mine = raw(me_.stamp);
    const Cell record = kWrites ? written(mine, from) : Cell{0, 0, mine, from};
    words::for_each_part(d, {word_address, 8}, [&](Cell* cell, ByteRange part) {
      const bool accessed = part.begin >= a && part.end() <= stop;
      const Cell c = words::as_part(d, accessed ? record : Cell{}, part.size);
      if (!(load_cell(cell) == c)) store_cell(cell, c);
    });
    store_cell(word, {d.mark(), 0, 0, 0});
    return recorded(right, a);
  }

  // How many of the bytes [a, end) from `a` on are done because the words there share a history:
  // none if that is not so, or has to be left to the detector. REQUIRES: `a` is aligned.
  usize group(uptr a, uptr end) {
    unsigned words = 1;
    const Quick q = quick_group<kWrites>({a, end - a}, me_, origin(), words);
    if (done(q)) return words * usize{8};
    const Cell* word = shadow::cell_if_present<8>(a);
    if (word == nullptr) return 0;
    const Cell seen = load_cell(word);
    if (seen.write == kBusy || !in_group(seen)) return 0;
    const Cell* first = words::first_of_group(word, seen);
    const Cell shared = load_cell(first);
    const auto before = static_cast<unsigned>(word - first);
    if (is_special(shared.write) || before >= group_words(shared)) return 0;
    const bool settled = kWrites ? shared.write == raw(me_.stamp) : access_.has_read(shared.read);
    const usize rest = (group_words(shared) - before) * usize{8};
    return settled ? (rest < end - a ? rest : end - a) : 0;
  }

 private:
  bool by_mask(Cell* word, uptr a, uptr stop) {
    const Cell seen = load_cell(word);
    if (is_masked(seen.write) && !seen.torn() &&
        is_settled<kWrites>(Masked::of(seen), mask_of(a, stop - a), raw(me_.stamp)))
      return true;
    const Right right = right_to(a, me_);
    MosaicSteps* const steps = access_.rules().steps();
    const bool cells = is_piece(a & 7, bytes_before(a, stop)) && !access_.rules().wants_masks();
    if (cells || right == Right::kNone || steps == nullptr || !may_be_masked(seen))
      return rewrite(word, a, stop);
    return done(detail::quick_masked<kWrites>(right, word, seen, a, mask_of(a, stop - a), me_,
                                              origin(), *steps)) ||
           rewrite(word, a, stop);
  }
  // What a claim says of the bytes' histories, as far as one look can tell.
  bool all_ordered(const Cell& seen, uptr a, uptr stop) const {
    for (; a < stop; ++a) {
      const Cell c = words::history_of_byte(seen, a);
      if (!c.read_by_many() && !exclusive_before(c, me_)) return false;
    }
    return true;
  }
  // Bytes that neither masks nor the present parts of their word suit, in a block that the epoch
  // has to itself: strings of which each epoch reads other portions.
  bool rewrite(Cell* word, uptr a, uptr stop) {
    if (right_to(a, me_) != Right::kClaimed || shadow::first_records_are_counted) return false;
    const Cell seen = load_cell(word);
    const bool parts = is_special(seen.write) && !is_masked(seen.write);
    if (seen.blank() || seen.torn() || seen.has_sync() || in_group(seen)) return false;
    if (parts && (seen.write == kBusy || is_follower(seen.write))) return false;
    const u32 from = raw(access_.origin());
    if (from == raw(kNoOrigin)) return false;
    BF_DCHECK(all_ordered(seen, a, stop));
    if (parts)
      words::cut_claimed<kWrites>(word, Division(seen.write), {a, stop - a}, raw(me_.stamp), from);
    else
      words::rewrite_claimed<kWrites>(word, seen, a & ~uptr{7}, mask_of(a, stop - a),
                                      raw(me_.stamp), from);
    return recorded_ = true;
  }

  // The piece in plane G that `a` is in has been accessed so in this epoch. Then so has any run of
  // its bytes, and the word need not be cut for it: code that moves strings by overlapping words
  // writes the same bytes at many cuts.
  template <unsigned G>
  bool settled(uptr a) const {
    const Cell* cell = shadow::cell_if_present<G>(a);
    if (cell == nullptr) return false;
    if constexpr (kWrites) return load_relaxed(&cell->write) == raw(me_.stamp);
    return access_.has_read(load_relaxed(&cell->read));
  }
  // How many bytes of its word come before the end of [a, stop).
  static unsigned bytes_before(uptr a, uptr stop) {
    return (a & 7) + static_cast<unsigned>(stop - a);
  }
  bool parts_around_are_settled(Division d, uptr a, uptr stop) const {
    const uptr word_address = a & ~uptr{7};
    for (; a < stop; a = word_address + d.end_of(a & 7)) {
      const uptr begin = word_address + d.begin_of(a & 7);
      if (!words::with_granularity(d.plane(), [&]<unsigned G>() { return settled<G>(begin); }))
        return false;
    }
    return true;
  }

  bool claimed_parts(Division d, uptr a, uptr stop) {
    const u32 from = raw(access_.origin());
    if (from == raw(kNoOrigin)) return false;
    detail::record_claimed_parts<kWrites>(d, a, stop, raw(me_.stamp), from);
    return recorded_ = true;
  }

  [[gnu::always_inline]] bool whole(uptr a) {
    return (!kWrites && settled<8>(a)) ||
           done(quick_access<8, kWrites>(a, me_, origin(), access_.rules()));
  }
  template <unsigned G>
  bool pieces(uptr a, uptr stop) {
    for (; a < stop; a += G) {
      if (!kWrites && settled<G>(a)) continue;
      if (!done(quick_access<G, kWrites>(a, me_, origin(), access_.rules()))) return false;
    }
    return true;
  }
  [[gnu::always_inline]] bool parts(Cell* word, Division d, uptr a, uptr stop) {
    const Right right = right_to(a, me_);
    if (right == Right::kNone) return false;
    for (uptr next; a < stop; a = next) {
      next = (a & ~uptr{7}) + d.end_of(a & 7);
      if (!kWrites && settled<1>(a)) continue;
      const ByteRange part{a, next - a};
      if (!done(quick_part<kWrites>(right, word, d, part, me_, origin(), access_.rules())))
        return false;
    }
    return right == Right::kClaimed || still_shared(stop - 1);
  }

  // A write to several parts of a word, which become one; if it is all of them, a whole word.
  bool join(Cell* word, Division d, ByteRange r) {
    const Cell seen{d.mark(), 0, 0, 0};
    const Right right = right_to(r.begin, me_);
    if (right == Right::kNone) return false;
    const u32 from = raw(access_.origin());
    if (from == raw(kNoOrigin) || !take_word(word, seen, right)) return false;
    if (right != Right::kClaimed && !all_before(d, r)) {
      words::settle(word, seen);
      return false;
    }
    // Who changes a part after the look at it finds the word busy, or otherwise divided, and starts
    // again.
    store_cell(word, words::join_parts(d, r, written(raw(me_.stamp), from), right));
    return recorded(right, r.begin);
  }
  // For exclusive change, if it still is `seen`; store_cell() gives it back.
  static bool take_word(Cell* word, const Cell& seen, Right right) {
    return right == Right::kClaimed || words::make_busy(word, seen);
  }
  // REQUIRES: the word is busy.
  bool all_before(Division d, ByteRange r) const {
    // Bytes that a loop has accessed one after the other have the same history: judged once.
    Cell harmless;
    bool before = true;
    words::for_each_part(d, r, [&](const Cell* cell, ByteRange) {
      const Cell c = load_cell(cell);
      if (c.write == harmless.write && c.read == harmless.read) return;
      before = before && exclusive_before(c, me_);
      harmless = c;
    });
    return before;
  }

  auto origin() {
    return [this] { return access_.origin(); };
  }
  // Whether what was recorded holds; see still_shared().
  bool recorded(Right right, uptr a) {
    recorded_ = true;
    return right == Right::kClaimed || still_shared(a);
  }
  bool done(Quick q) {
    recorded_ |= leaves_stamp(q);
    return is_done(q);
  }

  Access& access_;
  Observer me_;
  bool recorded_ = false;
};

}  // namespace bigfoot::rt
