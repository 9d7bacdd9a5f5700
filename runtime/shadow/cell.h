// The shadow cell: the access history of one piece of memory (1 to 8 bytes).
//
//   write stamp : 32   0 | stamp of the last write | special
//   write origin: 32   | sync : 1 | size - 1 of the part : 3 | origin : 28 |
//   read stamp  : 32   0 | stamp of the only read (or write) that matters | 1 : set of reads (see
//                      read_sets.h)
//   read origin : 32   origin of the single read; unused for a set
//
// "Special" (top bit of the write stamp) occurs only in plane 8 and says where the word's history
// is: divided into parts whose cells are in another plane (division.h), shared with the words
// before it (group.h), in this cell but for some of its bytes (masked.h), or in transition (busy).
// The sync bit says that an atomic or another synchronisation object lives in this word; it is kept
// in plane 8 only. The size of the part is kept in plane 1 only, where it varies; plane 8 has the
// size of a group of words there.
//
// A cell is read with two loads and replaced with one 16-byte compare-and-swap, so check and update
// are one step: of two racing threads the second always sees the first.
#pragma once

#include "abi/layout.h"
#include "runtime/base/atomic.h"
#include "runtime/clock/stamp.h"
#include "runtime/detect/access.h"

namespace bigfoot::rt {

inline constexpr u32 kSpecialBit = 0x80000000u;
static_assert(kSpecialBit == abi::kMarkedBit);
inline constexpr u32 kBusy = kSpecialBit;
constexpr bool is_special(u32 stamp) {
  return (stamp & kSpecialBit) != 0;
}

// A cell that speaks for some bytes of its word (masked.h): both halves say so.
inline constexpr u32 kMaskedBits = kSpecialBit | 8;
inline constexpr u32 kMaskedTag = 0xc0000000u;
constexpr bool is_masked(u32 write_word) {
  return (write_word & (kSpecialBit | 0xf)) == kMaskedBits;
}
constexpr bool has_masked_tag(u32 read_word) {
  return (read_word & kMaskedTag) == kMaskedTag;
}
// Whether the second half of a cell names a set of reads (read_sets.h).
constexpr bool names_set(u32 read_word) {
  return (read_word & kMaskedTag) == kSpecialBit;
}

inline constexpr u32 kSyncFlag = 0x80000000u;
inline constexpr u32 kOriginMask = 0x0fffffffu;
inline constexpr unsigned kPartShift = 28;
inline constexpr u32 kPartMask = 0x70000000u;

struct alignas(16) Cell {
  u32 write = 0;
  u32 write_origin = 0;
  u32 read = 0;
  u32 read_origin = 0;

  bool operator==(const Cell&) const = default;
  bool blank() const { return (write | read) == 0; }
  constexpr bool has_sync() const { return (write_origin & kSyncFlag) != 0; }
  // Of a cell in plane 1: how many bytes it speaks for.
  unsigned part_size() const { return (write_origin >> kPartShift & 7) + 1; }
  Cell for_part(unsigned size) const {
    return {write, (write_origin & ~kPartMask) | (size - 1) << kPartShift, read, read_origin};
  }
  Origin writer() const { return Origin{write_origin & kOriginMask}; }
  Origin reader() const { return Origin{read_origin & kOriginMask}; }
  constexpr bool read_by_many() const { return names_set(read); }
  // The halves are of different ages, and not both of a masked word.
  constexpr bool torn() const { return is_masked(write) != has_masked_tag(read); }
};
// What a write leaves behind; it counts as a read of the same epoch (see detect/rules.h).
constexpr Cell written(u32 stamp, u32 origin) {
  return {stamp, origin, stamp, origin};
}
static_assert(sizeof(Cell) == abi::kCellBytes);
static_assert(offsetof(Cell, write) == abi::kWriteStampOffset);
static_assert(offsetof(Cell, read) == abi::kReadStampOffset);

// Halves may be of different ages; replace() notices.
inline Cell load_cell(const Cell* c) {
  const auto* half = reinterpret_cast<const u64*>(c);
  u64 lo = load_acquire(&half[0]);
  u64 hi = load_acquire(&half[1]);
  return {static_cast<u32>(lo), static_cast<u32>(lo >> 32), static_cast<u32>(hi),
          static_cast<u32>(hi >> 32)};
}

// True if *c was `expected` and is now `desired`. A full barrier either way.
inline bool replace_cell(Cell* c, const Cell& expected, const Cell& desired) {
  u64 e_lo = expected.write | static_cast<u64>(expected.write_origin) << 32;
  u64 e_hi = expected.read | static_cast<u64>(expected.read_origin) << 32;
  u64 d_lo = desired.write | static_cast<u64>(desired.write_origin) << 32;
  u64 d_hi = desired.read | static_cast<u64>(desired.read_origin) << 32;
  bool done;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(done), "+m"(*c), "+a"(e_lo), "+d"(e_hi)
               : "b"(d_lo), "c"(d_hi)
               : "memory");
  return done;
}

// Stores `v` and returns what was there: nobody's change is lost in between.
inline Cell exchange_cell(Cell* c, const Cell& v) {
  for (;;) {
    Cell old = load_cell(c);
    if (replace_cell(c, old, v)) return old;
  }
}

// REQUIRES: nobody else can change the cell (its word is busy, or its memory belongs to us alone).
inline void store_cell(Cell* c, const Cell& v) {
  auto* half = reinterpret_cast<u64*>(c);
  store_release(&half[1], v.read | static_cast<u64>(v.read_origin) << 32);
  store_release(&half[0], v.write | static_cast<u64>(v.write_origin) << 32);
}

}  // namespace bigfoot::rt
