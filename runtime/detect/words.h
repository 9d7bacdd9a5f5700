// Words of shadow between granularities: splitting, joining, copying. Used by detector.cpp and
// history.cpp; the protocol is explained in detector.h.
#pragma once

#include "runtime/shadow/planes.h"

namespace bigfoot::rt::words {

// Calls f with a compile-time granularity.
template <class F>
inline auto with_granularity(unsigned g, F&& f) {
  switch (g) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 4:
      return f.template operator()<4>();
    default:
      return f.template operator()<8>();
  }
}

inline Cell* piece_cell(unsigned g, uptr a) {
  return with_granularity(g, [&]<unsigned G>() { return shadow::cell<G>(a); });
}

// The word's cell in plane 8 once it is in no transition.
inline Cell load_settled(Cell* word) {
  for (;;) {
    Cell c = load_cell(word);
    if (c.write != kBusy) return c;
    cpu_pause();
  }
}

// Takes the word for exclusive change if it still is `seen`. While busy, nobody else changes the
// word or its pieces in a way that lasts. The sync flag stays visible.
inline bool make_busy(Cell* word, const Cell& seen) {
  return replace_cell(word, seen, {kBusy, seen.write_origin & kSyncFlag, 0, 0});
}
inline void settle(Cell* word, const Cell& c) {
  BF_DCHECK(load_relaxed(&word->write) == kBusy && c.write != kBusy);
  store_cell(word, c);
}

// REQUIRES: busy. Pieces of a word that is not split must not match anyone's stamp, because
// instrumented code looks at them without asking the word.
inline void blank_pieces(uptr word_address, unsigned g) {
  for (uptr a = word_address; a < word_address + 8; a += g) store_cell(piece_cell(g, a), Cell{});
}

// Makes the word split at granularity `g`, each piece with the history it had. False: try again.
inline bool split(Cell* word, const Cell& seen, uptr word_address, unsigned g) {
  if (!make_busy(word, seen)) return false;
  bool was_split = is_special(seen.write);
  unsigned from = was_split ? split_granularity(seen.write) : 8;
  BF_DCHECK(g < from);
  Cell whole = seen;
  whole.write_origin &= ~kSyncFlag;
  for (uptr a = word_address; a < word_address + 8; a += g)
    store_cell(piece_cell(g, a), was_split ? load_cell(piece_cell(from, a)) : whole);
  if (was_split) blank_pieces(word_address, from);
  settle(word, {split_mark(g), seen.write_origin & kSyncFlag, 0, 0});
  return true;
}

}  // namespace bigfoot::rt::words
