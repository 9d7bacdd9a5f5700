// The shortcut of quick.h for runs of bytes: word by word, each as a whole or by the parts it is
// divided into. As there, whatever is out of the ordinary is left to the detector.
#pragma once

#include "runtime/detect/groups.h"
#include "runtime/detect/quick.h"

namespace bigfoot::rt {

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
      return half == 0 && first(a, stop, divided_for(0, a & 7, bytes_before(a, stop)));
    }
    // With an atomic in the word, a change going on, or a history elsewhere: not quick.
    if (half >> 32 != 0 || mark == kBusy || is_follower(mark)) return false;
    const Division d(mark);
    const unsigned from = a & 7, to = bytes_before(a, stop);
    if (!d.cuts(from, to)) return parts_around_are_settled(d, a, stop);
    if (kWrites && write_joins(d, from, to)) return join(word, d, {a, stop - a});
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
    const u32 from = raw(access_.origin());
    if (from == raw(kNoOrigin) || !words::make_busy(word, Cell{})) return false;
    const u32 mine = raw(me_.stamp);
    const Cell record = kWrites ? written(mine, from) : Cell{0, 0, mine, from};
    words::for_each_part(d, {word_address, 8}, [&](Cell* cell, ByteRange part) {
      const bool accessed = part.begin >= a && part.end() <= stop;
      const Cell c = words::as_part(d, accessed ? record : Cell{}, part.size);
      if (!(load_cell(cell) == c)) store_cell(cell, c);
    });
    words::settle(word, {d.mark(), 0, 0, 0});
    return recorded_ = true;
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

  [[gnu::always_inline]] bool whole(uptr a) {
    return (!kWrites && settled<8>(a)) || done(quick_access<8, kWrites>(a, me_, origin(), access_.rules()));
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
    for (uptr next; a < stop; a = next) {
      next = (a & ~uptr{7}) + d.end_of(a & 7);
      if (!kWrites && settled<1>(a)) continue;
      const ByteRange part{a, next - a};
      if (!done(quick_part<kWrites>(word, d, part, me_, origin(), access_.rules()))) return false;
    }
    return true;
  }

  // A write to several parts of a word, which become one; if it is all of them, a whole word.
  bool join(Cell* word, Division d, ByteRange r) {
    const Cell seen{d.mark(), 0, 0, 0};
    const u32 from = raw(access_.origin());
    if (from == raw(kNoOrigin) || !words::make_busy(word, seen)) return false;
    if (!all_before(d, r)) {
      words::settle(word, seen);
      return false;
    }
    // Who changes a part after the look at it finds the word busy, or otherwise divided, and starts
    // again.
    words::settle(word, words::join_parts(d, r, written(raw(me_.stamp), from)));
    return recorded_ = true;
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
  bool done(Quick q) {
    recorded_ |= is_recorded(q);
    return is_recorded(q) || q == Quick::kSameEpoch;
  }

  Access& access_;
  const Observer me_;
  bool recorded_ = false;
};

}  // namespace bigfoot::rt
