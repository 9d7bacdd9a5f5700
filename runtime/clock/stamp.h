// Stamps: 31-bit names for epochs.
//
// An epoch is a slot and its 64-bit time. Shadow memory keeps one or two for every byte the program
// touches, so there they are stored as 31-bit stamps, and a table says which epoch a stamp names:
//
//   stamp   | chunk : 21 | offset : 10 |        chunk table:  chunk -> (slot, time of offset 0)
//
// A slot owns whole chunks and runs through them in order, so a tick is an increment and decoding
// is one table load. Stamps are names, not clocks: those that no shadow cell mentions any more are
// collected now and then and given out again (see reclaim in context/); time itself is never reset.
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
    marks_.reserve();
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
  u32 chunks_left() const { return load_relaxed(&left_); }

  // REQUIRES for all up to sweep(): no other thread is inside the run time.
  void mark(Stamp s) {
    chunks_[raw(s) >> kOffsetBits].marked = true;
    marks_[raw(s) / 64] |= u64{1} << (raw(s) % 64);
  }
  // Which stamps of a chunk are marked.
  class Marks {
   public:
    explicit Marks(const u64* words) : words_(words) {}
    bool at(u32 offset) const { return (words_[offset / 64] >> (offset % 64) & 1) != 0; }
    u32 count() const;

   private:
    const u64* words_;
  };
  enum class Use : u8 {
    kOpen,     // its slot is still going through it
    kMarked,   // it is full, and something mentions stamps of it
    kDropped,  // it is full, nothing does: the next sweep gives it back
    kFree,     // the last sweep has done so, and nobody has opened it since
  };
  struct ChunkState {
    u32 number;
    Use use;
    Epoch first;
    bool marked;
    Marks marks;
  };
  // Calls visit(const ChunkState&) for each chunk that was ever opened, in the order in which they
  // are given out again.
  template <class Visit>
  void for_each_chunk(Visit&& visit) const {
    for (u32 i = kFirstChunk; i < next_; ++i) {
      const Chunk& c = chunks_[i];
      const Use use = c.free     ? Use::kFree
                      : c.open   ? Use::kOpen
                      : c.marked ? Use::kMarked
                                 : Use::kDropped;
      visit(ChunkState{i, use, {c.slot, c.base}, c.marked, Marks(&marks_[i * kMarkWords])});
    }
  }
  // Chunks that are neither marked nor being filled by a slot are given out again from now on.
  // Nothing is marked afterwards.
  void sweep();
  void before_fork() { lock_.lock(); }
  void after_fork() { lock_.unlock(); }

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
  static constexpr usize kMarkWords = kChunkStamps / 64;
  ReservedTable<Chunk, usize{1} << kChunkBits> chunks_;
  ReservedTable<u64, (usize{1} << kChunkBits) * kMarkWords> marks_;  // a bit for each stamp
  SpinLock lock_;
  // All zero until initialise(), so that the run time costs no room in the program's file.
  u32 next_ = 0;
  u32 free_ = 0;
  u32 limit_ = 0;
  u32 left_ = 0;
};

}  // namespace bigfoot::rt
