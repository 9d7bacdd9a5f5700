// How the history of a split word is divided: the mark in the word's cell of plane 8.
//
//   | special : 1 | 0 : 14 | starts : 9 | 0 : 4 | plane : 4 |
//
// A word whose accesses are naturally aligned is divided into pieces of 4 or 2 bytes, kept in the
// plane of that size, where the inlined tests of such accesses look. All other divisions are kept
// in plane 1: any run of bytes can be one part, with one cell, that of its first byte. So the word
// between two strings has two cells to check, not eight.
//
// Bit i of `starts` says that a part starts at byte i; bit 8 is always set. A part's cell in plane
// 1 carries the size of the part (cell.h), so that a compare-and-swap of the cell fails if the part
// has become another meanwhile. All other cells of the word's bytes in plane 1 are blank:
// instrumented code looks at them without asking the word.
#pragma once

#include "runtime/shadow/cell.h"

namespace bigfoot::rt {

class Division {
 public:
  // Aligned pieces of `granularity` (1, 2 or 4) bytes.
  static constexpr Division pieces(unsigned granularity) {
    constexpr u32 kEvery[] = {0, 0x1ff, 0x155, 0, 0x111};
    return Division(granularity, kEvery[granularity]);
  }
  static constexpr Division parts(u32 starts) { return Division(1, starts | kEnds); }

  // REQUIRES: is_special(mark) and mark != kBusy.
  explicit constexpr Division(u32 mark) : mark_(mark) {}

  constexpr u32 mark() const { return mark_; }
  constexpr unsigned plane() const { return mark_ & 0xf; }
  constexpr u32 starts() const { return mark_ >> kStartsShift & 0x1ff; }
  constexpr bool operator==(const Division&) const = default;

  // The part that byte `i` belongs to: its first byte, and the first byte behind it.
  constexpr unsigned begin_of(unsigned i) const {
    return 31 - static_cast<unsigned>(__builtin_clz(starts() & ((2u << i) - 1)));
  }
  constexpr unsigned end_of(unsigned i) const {
    return i + 1 + static_cast<unsigned>(__builtin_ctz(starts() >> (i + 1)));
  }
  // Whether bytes [from, to) are whole parts.
  constexpr bool cuts(unsigned from, unsigned to) const {
    return (starts() >> from & starts() >> to & 1) != 0;
  }
  // How many parts begin in bytes [from, to).
  constexpr unsigned parts_in(unsigned from, unsigned to) const {
    return static_cast<unsigned>(__builtin_popcount(starts() & ((1u << to) - (1u << from))));
  }

 private:
  static constexpr unsigned kStartsShift = 8;
  static constexpr u32 kEnds = 0x101;
  constexpr Division(unsigned plane, u32 starts)
      : mark_(kSpecialBit | starts << kStartsShift | plane) {}
  u32 mark_;
};

// Whether bytes [i, i + G) of the word with this mark (of any kind, or a stamp) are one part, with
// a cell in plane 1.
template <unsigned G>
constexpr bool is_part(u32 mark, unsigned i) {
  constexpr u32 kStarts = (2u << G) - 1, kOnePart = 1u | 1u << G;
  return (mark & (kSpecialBit | 0xf)) == (kSpecialBit | 1) &&
         (mark >> (8 + i) & kStarts) == kOnePart;
}

// Whether a write to bytes [from, to) of a word makes one part of theirs. Not if there are few:
// they are there because accesses begin and end between them, and are likely to do so again.
constexpr bool write_joins(Division d, unsigned from, unsigned to) {
  constexpr unsigned kFew = 2;
  return to - from == 8 || (d.plane() == 1 && d.parts_in(from, to) > kFew);
}

// The word's division, with its bytes [from, to) each a part of its own.
constexpr Division in_bytes(u32 mark, unsigned from, unsigned to) {
  const Division now = is_special(mark) ? Division(mark) : Division::parts(0);
  return Division::parts(now.starts() | ((2u << to) - (1u << from)));
}

// Whether byte `i` comes right behind a run of several that were accessed together: then an access
// to it alone looks like the zero behind a string, otherwise like one of a walk over bytes.
constexpr bool ends_a_run(Division d, unsigned i) {
  return i != 0 && d.begin_of(i) == i && d.begin_of(i - 1) + 1 < i;
}

// Whether bytes [from, to) are a half or a quarter of a word.
constexpr bool is_piece(unsigned from, unsigned to) {
  const unsigned size = to - from;
  return (size == 2 || size == 4) && from % size == 0;
}

// The division that a word needs for an access to its bytes [from, to), fewer than all: theirs are
// whole parts, and of the rest as much stays together as can. In a walk over bytes their part falls
// into bytes at the first one: a loop over characters divides a word once, not seven times.
constexpr Division divided_for(u32 mark, unsigned from, unsigned to) {
  const bool whole = !is_special(mark);
  const unsigned size = to - from;
  if (is_piece(from, to) && (whole || Division(mark).plane() > size)) return Division::pieces(size);
  const Division now = whole ? Division::parts(0) : Division(mark);
  if (size == 1 && !ends_a_run(now, from))
    return in_bytes(now.mark(), now.begin_of(from), now.end_of(from));
  return Division::parts(now.starts() | 1u << from | 1u << to);
}

static_assert(Division::pieces(4).end_of(4) == 8 && Division::pieces(2).begin_of(3) == 2);
static_assert(is_part<1>(Division::pieces(1).mark(), 7) &&
              !is_part<4>(Division::pieces(1).mark(), 4));
static_assert(is_part<4>(Division::parts(1u << 4 | 1u << 2).mark(), 4));
static_assert(!is_part<2>(Division::parts(1u << 4).mark(), 2) &&
              !is_part<4>(Division::pieces(4).mark(), 4));
static_assert(divided_for(0, 3, 8) == Division::parts(1u << 3));
static_assert(divided_for(0, 4, 8) == Division::pieces(4));
static_assert(divided_for(0, 5, 6) == Division::pieces(1));
static_assert(divided_for(Division::parts(1u << 3).mark(), 3, 4) ==
              Division::parts(1u << 3 | 1u << 4));
static_assert(divided_for(Division::pieces(4).mark(), 5, 8) == Division::parts(1u << 4 | 1u << 5));

}  // namespace bigfoot::rt
