// Words whose records speak for some of their bytes: one write and one read, each with a mask.
//
// Strings are written byte by byte and read in other portions, structures are copied as a whole and
// read field by field. All of that in one epoch, mostly: then the word needs no cell for each of
// its bytes, but one write stamp, one read stamp, and for both the bytes they speak for. Such a
// word's cell of plane 8 is
//
//   write        | special : 1 | readers, low : 11 | bytes read : 8 | bytes written : 8 | 8 : 4 |
//   write origin | 0 : 1 | write stamp : 31 |
//   read         | 1 1 : 2 | cut out : 1 | readers, high : 9 | writers : 20 |
//   read origin  | 0 : 1 | read stamp : 31 |
//
// where writers and readers are mosaics (mosaics.h): they tell each byte's origin. What is kept of
// bytes that are not in a mask means nothing. A write is not repeated as a read, as it is in other
// cells: who asks looks at both.
//
// Both halves can be told from those of other cells: no other mark ends in 8, and no stamp and no
// set of reads begins with two ones, so that the inlined test of a read, which looks at the second
// half alone, never takes it for anything it knows. No synchronisation object lives in such a word.
// Histories that do not fit (two epochs that wrote different bytes, concurrent reads) are divided
// into parts (division.h).
#pragma once

#include "runtime/shadow/group.h"
#include "runtime/shadow/mosaics.h"

namespace bigfoot::rt {

// The bytes [a, a + size) of their word, a bit each. REQUIRES: all of one word.
constexpr u32 mask_of(uptr a, usize size) {
  return ((1u << size) - 1) << (a & 7);
}

struct Masked {
  static constexpr u32 kAll = 0xff;

  u32 write = 0, read = 0;  // stamps
  u32 wrote = 0, did_read = 0;
  MosaicId writers{}, readers{};
  bool cut_out = false;

  // REQUIRES: is_masked(c.write).
  static constexpr Masked of(const Cell& c) {
    return {c.write_origin,
            c.read_origin,
            c.write >> 4 & kAll,
            c.write >> 12 & kAll,
            MosaicId{c.read & kMosaicMask},
            readers_in(c.write, c.read),
            (c.read & kCutOutFlag) != 0};
  }
  constexpr Cell masked() const {
    return {
        kMaskedBits | (raw(readers) & kLowMask) << 20 | did_read << 12 | wrote << 4, write,
        kMaskedTag | (cut_out ? kCutOutFlag : 0) | raw(readers) >> kLowBits << 20 | raw(writers),
        read};
  }
  // More bytes of the epoch that the cell's write, or read, is of, from the one place that those
  // before came from: what most accesses to a masked word come to. All it takes is another bit in
  // the first half. If all bytes are written then, the word has one write as a whole. False: it is
  // not so, or all bytes are read then, and what form that takes depends on the writes.
  template <bool kWrites>
  [[gnu::always_inline]] static bool add_alike(u64& low, u64 high, u32 mask, u32 mine,
                                               MosaicId all) {
    const u32 mark = static_cast<u32>(low), tag = static_cast<u32>(high);
    if (static_cast<u32>((kWrites ? low : high) >> 32) != mine) return false;
    if (BF_UNLIKELY(!is_masked(mark) || !has_masked_tag(tag))) return false;
    if ((kWrites ? MosaicId{tag & kMosaicMask} : readers_in(mark, tag)) != all) return false;
    const u64 next = kWrites ? (low | mask << 4) & ~static_cast<u64>(mask << 12) : low | mask << 12;
    if (!kWrites && BF_UNLIKELY(is_full<false>(static_cast<u32>(next)))) return false;
    low = next;
    return true;
  }
  // The same from wherever they come. False: it is another epoch's, or no room for another mosaic.
  // What comes out may have to take another form: see is_full().
  template <bool kWrites>
  [[gnu::always_inline]] static bool add(u64& low, u64& high, u32 mask, u32 mine, Origin from,
                                         MosaicSteps& steps) {
    if (static_cast<u32>((kWrites ? low : high) >> 32) != mine) return false;
    const u32 mark = static_cast<u32>(low), tag = static_cast<u32>(high);
    const MosaicId old = kWrites ? MosaicId{tag & kMosaicMask} : readers_in(mark, tag);
    const MosaicId next = steps.with(old, mask, from);
    if (BF_UNLIKELY(next == kNoMosaic)) return false;
    if constexpr (kWrites) {
      low = (low | mask << 4) & ~static_cast<u64>(mask << 12);
      high = (high & ~u64{kMosaicMask}) | raw(next);
    } else {
      low = (low & ~static_cast<u64>(kLowMask << 20)) | (raw(next) & kLowMask) << 20 | mask << 12;
      high = (high & ~static_cast<u64>(kHighMask << 20)) | raw(next) >> kLowBits << 20;
    }
    return true;
  }
  // Whether all bytes are written, or all read. REQUIRES: is_masked(mark).
  template <bool kWrites>
  static constexpr bool is_full(u32 mark) {
    return (mark >> (kWrites ? 4 : 12) & kAll) == kAll;
  }

  // The first bytes of a word without a history.
  template <bool kWrites>
  static constexpr Cell first(u32 mask, u32 mine, MosaicId all) {
    Masked m;
    (kWrites ? m.write : m.read) = mine;
    (kWrites ? m.wrote : m.did_read) = mask;
    (kWrites ? m.writers : m.readers) = all;
    return m.masked();
  }
  // Of a cell that speaks for its word as a whole. False: no room for another mosaic. REQUIRES:
  // neither special, nor a group's, nor read by many; no object lives there.
  [[gnu::always_inline]] static bool of_whole(const Cell& c, MosaicSteps& steps, Masked& out) {
    out = {};
    out.cut_out = (c.write_origin & kPartMask) == kCutOut;
    if (c.write != 0) {
      out.write = c.write;
      out.wrote = kAll;
      out.writers = steps.all(c.writer());
    }
    if (c.read != 0 && c.read != c.write) {
      out.read = c.read;
      out.did_read = kAll;
      out.readers = steps.all(c.reader());
    }
    return out.writers != kNoMosaic && out.readers != kNoMosaic;
  }
  // As the word's cell: in a form that speaks for it as a whole if that can be.
  Cell cell() const {
    const bool all_or_none = (wrote == kAll || wrote == 0) && (did_read == kAll || did_read == 0);
    return BF_UNLIKELY(all_or_none) ? whole_or_masked() : masked();
  }
  // What is left of a masked cell when all its bytes are written anew: whether it was cut out of a
  // group.
  static constexpr Cell without_records(const Cell& c) {
    return {0, (c.read & kCutOutFlag) != 0 ? kCutOut : 0, 0, 0};
  }
  // What is known of one byte, in the form that a cell of plane 1 has.
  Cell of_byte(unsigned i) const;

 private:
  static constexpr MosaicId readers_in(u32 mark, u32 tag) {
    return MosaicId{(mark >> 20 & kLowMask) | (tag >> 20 & kHighMask) << kLowBits};
  }
  BF_SPARE Cell whole_or_masked() const;
  static constexpr unsigned kLowBits = 11;
  static constexpr u32 kLowMask = (1u << kLowBits) - 1;
  static constexpr u32 kHighMask = (1u << (kMosaicBits - kLowBits)) - 1;
  static constexpr u32 kMosaicMask = (1u << kMosaicBits) - 1;
  static constexpr u32 kCutOutFlag = 1u << 29;
};

// Whether an epoch has accessed all these bytes so already. A write counts as a read.
template <bool kWrites>
constexpr bool is_settled(const Masked& m, u32 mask, u32 mine) {
  u32 done = m.write == mine ? m.wrote : 0;
  if (!kWrites && m.read == mine) done |= m.did_read;
  return (mask & ~done) == 0;
}

}  // namespace bigfoot::rt
