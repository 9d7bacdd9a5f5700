// Stamps: 31-bit names for epochs.
//
// An epoch is a slot and its 64-bit time. Shadow memory keeps one or two for every byte the program
// touches, so there they are stored as 31-bit stamps, and a table says which epoch a stamp names:
//
//   stamp   | chunk : 21 | offset : 10 |        chunk table:  chunk -> (slot, time of offset 0)
//
// A slot owns whole chunks and runs through them in order, so a tick is an increment and decoding
// is one table load. Stamps are names, not clocks: when all of them have been given out, the ones
// that no shadow cell mentions any more are collected and given out again (see reclaim in
// context/); time itself is never reset.
#pragma once

#include "runtime/base/arena.h"
#include "runtime/base/atomic.h"
#include "runtime/base/types.h"

namespace bigfoot::rt {

enum class Stamp : u32 {};
inline constexpr Stamp kNoStamp{0};
constexpr u32 raw(Stamp s) {
  return static_cast<u32>(s);
}

struct Epoch {
  Slot slot;
  Clock clock;
};

class StampTable {
 public:
  static constexpr unsigned kOffsetBits = 10;
  static constexpr u32 kChunkStamps = 1u << kOffsetBits;
  static constexpr unsigned kChunkBits = 21;
  static_assert(kChunkBits + kOffsetBits == 31);
  // Chunk 0 would contain the stamp "none", the last one the reserved stamps of abi/layout.h.
  static constexpr u32 kFirstChunk = 1;
  static constexpr u32 kLastChunk = (1u << kChunkBits) - 2;

  void initialise() { chunks_.reserve(); }

  // A fresh chunk for `slot`, whose first stamp names time `clock`. Returns kNoStamp if none is
  // left.
  Stamp open(Slot slot, Clock clock);
  // The stamp of the slot's next time; crosses into a fresh chunk as needed (kNoStamp as above).
  Stamp next(Stamp s, Epoch now) {
    u32 n = raw(s) + 1;
    if ((n & (kChunkStamps - 1)) != 0) return Stamp{n};
    return open(now.slot, now.clock + 1);
  }

  Epoch decode(Stamp s) const {
    const Chunk& c = chunks_[raw(s) >> kOffsetBits];
    return {c.slot, c.base + (raw(s) & (kChunkStamps - 1))};
  }

  // For reclaiming: chunks in use by nobody go back. `limit` lowers the number of chunks (tests).
  void give_back(u32 chunk);
  u32 chunks_opened() const { return load_relaxed(&next_); }
  void set_limit(u32 chunks) { limit_ = chunks; }

 private:
  struct Chunk {
    Clock base;
    Slot slot;
    u32 next_free;  // in the free list, chunk number; 0 ends it
  };
  ReservedTable<Chunk, usize{1} << kChunkBits> chunks_;
  SpinLock lock_;
  u32 next_ = kFirstChunk;
  u32 free_ = 0;
  u32 limit_ = kLastChunk;
};

}  // namespace bigfoot::rt
