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

  void initialise() {
    chunks_.reserve();
    next_ = kFirstChunk;
    set_limit(kLastChunk - kFirstChunk + 1);
  }

  // A fresh chunk for `slot`, whose first stamp names time `clock`. Returns kNoStamp if none is
  // left.
  Stamp open(Slot slot, Clock clock);
  // The stamp of the slot's next time; crosses into a fresh chunk as needed (kNoStamp as above).
  Stamp next(Stamp s, Epoch now) {
    u32 n = raw(s) + 1;
    if ((n & (kChunkStamps - 1)) != 0) return Stamp{n};
    Stamp fresh = open(now.slot, now.clock + 1);
    if (fresh != kNoStamp) chunks_[raw(s) >> kOffsetBits].open = false;
    return fresh;
  }

  Epoch decode(Stamp s) const {
    const Chunk& c = chunks_[raw(s) >> kOffsetBits];
    BF_DCHECK(raw(s) != 0 && (raw(s) >> kOffsetBits) < next_ && !c.free);
    return {c.slot, c.base + (raw(s) & (kChunkStamps - 1))};
  }

  // Stamps of one chunk belong to one slot.
  static constexpr bool same_chunk(Stamp a, Stamp b) {
    return ((raw(a) ^ raw(b)) >> kOffsetBits) == 0;
  }

  // How many chunks can still be opened.
  u32 chunks_left() const {
    return load_relaxed(&left_);
  }

  // REQUIRES for both: no other thread is inside the run time.
  void mark(Stamp s) {
    chunks_[raw(s) >> kOffsetBits].marked = true;
  }
  // Chunks that are neither marked nor being filled by a slot are given out again from now on.
  void sweep();

  // Tests only: as if there were no more than this many chunks.
  void set_limit(u32 chunks);

 private:
  struct Chunk {
    Clock base;
    Slot slot;
    u32 next_free;  // in the free list, chunk number; 0 ends it
    bool open;      // its slot is still going through it
    bool marked;    // some cell mentions a stamp of it
    bool free;
  };
  ReservedTable<Chunk, usize{1} << kChunkBits> chunks_;
  SpinLock lock_;
  // All zero until initialise(), so that the run time costs no room in the program's file.
  u32 next_ = 0;
  u32 free_ = 0;
  u32 limit_ = 0;
  u32 left_ = 0;
};

}  // namespace bigfoot::rt
