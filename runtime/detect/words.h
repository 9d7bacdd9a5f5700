// Words of shadow between granularities: dividing, joining, copying. Used by detector.cpp and
// history.cpp; the protocol is explained in detector.h.
#pragma once

#include "runtime/detect/claims.h"
#include "runtime/shadow/division.h"
#include "runtime/shadow/masked.h"
#include "runtime/shadow/planes.h"
#include "runtime/shadow/read_sets.h"

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
    if (BF_LIKELY(c.write != kBusy && !c.torn())) return c;
    // Two looks at a cell that changes; unless it is so as a whole: of a thread that a fork has
    // left behind in the middle of its stores to a block of its own.
    if (BF_UNLIKELY(c.torn() && replace_cell(word, c, Cell{}))) return {};
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

// The cell of the part that starts at `a`, in the plane of the division.
inline Cell* part_cell(Division d, uptr a) {
  return piece_cell(d.plane(), a);
}
// Calls f(cell, part) for each part of a word's bytes [r.begin, r.end()), which the division cuts
// out.
template <class F>
inline void for_each_part(Division d, ByteRange r, F&& f) {
  const uptr word = r.begin & ~uptr{7};
  Cell* const cells = part_cell(d, word);  // side by side
  const auto shift = static_cast<unsigned>(__builtin_ctz(d.plane()));
  for (uptr a = r.begin, next; a < r.end(); a = next) {
    next = word + d.end_of(a & 7);
    f(cells + ((a & 7) >> shift), ByteRange{a, next - a});
  }
}

// A part's cell with this history. Only plane 1 has parts of different sizes.
inline Cell as_part(Division d, const Cell& c, usize size) {
  return c.for_part(d.plane() == 1 ? static_cast<unsigned>(size) : 1);
}

// What a word's history tells of one byte, as the cell of that byte alone. REQUIRES: `word` is in
// no group.
inline Cell history_of_byte(const Cell& word, uptr a) {
  Cell c = word;
  if (is_masked(word.write)) return Masked::of(word).of_byte(a & 7);
  if (is_special(word.write)) {
    const Division d(word.write);
    c = load_cell(part_cell(d, (a & ~uptr{7}) + d.begin_of(a & 7)));
  }
  close_reads(c);
  c = c.for_part(1);
  c.write_origin &= ~kSyncFlag;
  return c;
}

// REQUIRES: busy. Cells that no part owns must not match anyone's stamp, because instrumented code
// looks at them without asking the word.
inline void blank_parts(Division d, uptr word_address) {
  with_granularity(d.plane(), [&]<unsigned G>() {
    Cell* cells = shadow::cell<G>(word_address);
    for (unsigned i = 0; i < 8; i += G)
      if (d.starts() >> i & 1) store_cell(&cells[i / G], Cell{});
  });
}

// Makes one part of bytes `r`, which the division cuts out, with the history `c`; returns what the
// word's own cell has to become. Of all of them: a whole word. REQUIRES: busy, or claimed.
inline Cell join_parts(Division d, ByteRange r, const Cell& c, Right right) {
  const bool whole = r.size == 8;
  for_each_part(d, r, [&](Cell* cell, ByteRange part) {
    if (whole || part.begin != r.begin) return store_cell(cell, Cell{});
    // The part that stays in use changes in one step: otherwise somebody's change between the two
    // halves could leave a history of which only one half is the new part's.
    const Cell joined = as_part(d, c, r.size);
    if (right == Right::kClaimed)
      store_cell(cell, joined);
    else
      exchange_cell(cell, joined);
  });
  if (whole) return c;
  const u32 inner = ((1u << r.size) - 2) << (r.begin & 7);
  return {Division::parts(d.starts() & ~inner).mark(), 0, 0, 0};
}

namespace detail {
// REQUIRES: busy, both divisions in plane 1. The cell of a part that shrinks stays in use; whoever
// is about to change it has either done so before the change of its size, and is copied, or fails.
inline void cut_in_place(Division from, Division to, uptr word_address) {
  for_each_part(from, {word_address, 8}, [&](Cell* cell, ByteRange old) {
    const usize rest = to.end_of(old.begin & 7) - (old.begin & 7);
    if (rest == old.size) return;
    for (;;) {
      const Cell c = load_cell(cell);
      close_reads(c);
      const ByteRange behind{old.begin + rest, old.size - rest};
      for_each_part(to, behind, [&](Cell* fresh, ByteRange part) {
        store_cell(fresh, as_part(to, c, part.size));
      });
      if (replace_cell(cell, c, as_part(to, c, rest))) return;
    }
  });
}
}  // namespace detail

// Divides the word, each part with the history its bytes had. False: try again.
// REQUIRES: `to` cuts wherever the word is cut already.
inline bool divide(Cell* word, const Cell& seen, uptr word_address, Division to) {
  part_cell(to, word_address);  // made before anybody has to wait for the word
  if (!make_busy(word, seen)) return false;
  const bool was_divided = is_special(seen.write);
  if (was_divided && Division(seen.write).plane() == to.plane()) {
    detail::cut_in_place(Division(seen.write), to, word_address);
  } else {
    for_each_part(to, {word_address, 8}, [&](Cell* fresh, ByteRange part) {
      Cell c = seen;
      if (was_divided) {
        const Division from(seen.write);
        c = load_cell(part_cell(from, word_address + from.begin_of(part.begin & 7)));
      }
      close_reads(c);
      c.write_origin &= ~kSyncFlag;
      store_cell(fresh, as_part(to, c, part.size));
    });
    if (was_divided) blank_parts(Division(seen.write), word_address);
  }
  settle(word, {to.mark(), seen.write_origin & kSyncFlag, 0, 0});
  return true;
}

// The coarsest division at which bytes with these histories agree: halves or quarters of the word
// if it can be, because inlined tests look for such. REQUIRES: not all of them agree.
Division division_of(const Cell (&bytes)[8]);
// Gives the parts of a word the histories of their bytes; returns what the word's own cell has to
// become. REQUIRES: busy, or nobody else's; no part has a cell.
Cell put_parts(uptr word_address, const Cell (&bytes)[8]);

// Divides a word that was kept by masks, for those who know nothing of them. False: try again.
bool unmask(Cell* word, const Cell& seen, uptr word_address);

// Records an access to the bytes in `mask` of a word that is not divided: each byte keeps the
// history it had, or gets the new one, and the word takes the form that suits. REQUIRES: the epoch
// `mine` has claimed the block; the word is in no group, and no object lives there.
template <bool kWrites>
void rewrite_claimed(Cell* word, const Cell& seen, uptr word_address, u32 mask, u32 mine, u32 from);
// The same of bytes of a word that is divided otherwise: it is cut as divide() would, so that a
// walk over bytes finds a cell for each from its second byte on. REQUIRES: as above; now does not
// cut the bytes out.
template <bool kWrites>
void cut_claimed(Cell* word, Division now, ByteRange bytes, u32 mine, u32 from);

// Divides a word without any history into aligned pieces of G bytes, if it still has none. Nothing
// has to be written but the mark: cells that no part owns are blank, and those of such pieces begin
// as blank ones. One that is not so (an access that is just about to notice that its word has
// changed) leaves it to divide(). The word is not busy meanwhile: who records something in a piece
// between the look at it and the mark finds the mark it expects, and a piece that it owns.
template <unsigned G>
BF_SPARE bool divide_blank(Cell* word, uptr a, Right right);

}  // namespace bigfoot::rt::words
