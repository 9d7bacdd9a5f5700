// Mosaics: the origins of a word's bytes, one for each, interned.
//
// A word whose bytes were accessed one by one, from several places of the program, but in one epoch
// has one stamp and several origins (masked.h). Which byte came from where is a mosaic: eight
// origins. Text is written by few places in few patterns, so there are few of them, and going from
// one to the next, when another byte is accessed, is a step that the thread remembers.
//
// Mosaics are never given back. There are at most a million; when they run out, words are divided
// for their bytes instead (division.h), at a higher price and with the same verdicts.
#pragma once

#include "runtime/base/arena.h"
#include "runtime/base/atomic.h"
#include "runtime/detect/access.h"

namespace bigfoot::rt {

enum class MosaicId : u32 {};
inline constexpr MosaicId kEmptyMosaic{0};  // nothing is said of any byte
inline constexpr unsigned kMosaicBits = 20;
inline constexpr MosaicId kNoMosaic{(1u << kMosaicBits) - 1};
constexpr u32 raw(MosaicId m) {
  return static_cast<u32>(m);
}

class Mosaics {
 public:
  void initialise();

  // `m` with `o` for the bytes in `mask`. kNoMosaic: there is no room for another one.
  MosaicId with(MosaicId m, u32 mask, Origin o);
  Origin origin(MosaicId m, unsigned byte) const { return Origin{table_[raw(m)].of[byte]}; }
  // The origin that all bytes have, or none.
  Origin single(MosaicId m) const;
  u64 count() const { return load_relaxed(&used_) - 1; }

 private:
  struct alignas(32) Mosaic {
    u32 of[8];
    bool operator==(const Mosaic&) const = default;
  };
  // As many slots as are needed are in use, by linear probing. Growing moves nothing: a mosaic that
  // was placed by the old size is made once more when it is met again, and its twin says the same.
  static constexpr unsigned kFirstSlotBits = 12, kMaxSlotBits = kMosaicBits + 1;
  static constexpr usize kProbes = 16;
  static u64 hash_of(const Mosaic& m);
  u32 make(const Mosaic& m);

  ReservedTable<Mosaic, usize{1} << kMosaicBits> table_;
  ReservedTable<u32, (usize{1} << kMaxSlotBits) + kProbes> slots_;  // 0: free
  u32 slot_bits_ = kFirstSlotBits;
  u64 used_ = 1;
};

namespace shadow {
// Part of what the planes' cells mean, and therefore beside them.
extern constinit Mosaics mosaics;
}  // namespace shadow

// The steps from one mosaic to the next that a thread has taken lately.
class MosaicSteps {
 public:
  // The mosaic that says `o` of every byte. A word that begins to be kept by a mask begins with it:
  // what is said of bytes that are not in the mask means nothing, and as long as they come from one
  // place, as those of a string do, no step has to be taken.
  [[gnu::always_inline]] MosaicId all(Origin o) {
    const MosaicId known = known_all(o);
    return BF_LIKELY(known != kNoMosaic) ? known : make_all(o);
  }
  // The same if it is at hand, or none.
  [[gnu::always_inline]] MosaicId known_all(Origin o) const {
    const u64 known = load_relaxed(&all_[raw(o) % kAlls]);
    return BF_LIKELY(static_cast<u32>(known) == raw(o)) ? MosaicId{static_cast<u32>(known >> 32)}
                                                        : kNoMosaic;
  }
  // As Mosaics::with().
  [[gnu::always_inline]] MosaicId with(MosaicId m, u32 mask, Origin o) {
    const u64 key = raw(m) | static_cast<u64>(mask) << kMosaicBits |
                    static_cast<u64>(raw(o)) << (kMosaicBits + 8);
    Entry& e = entries_[key * 0x9E3779B97F4A7C15ull >> (64 - kIndexBits)];
    return BF_LIKELY(e.key == key) ? e.next : take(e, key, m, mask, o);
  }

 private:
  static constexpr unsigned kIndexBits = 10;
  struct Entry {
    u64 key;  // 0: nothing; no mask is empty
    MosaicId next;
  };
  BF_SPARE static MosaicId take(Entry& e, u64 key, MosaicId m, u32 mask, Origin o);
  BF_SPARE MosaicId make_all(Origin o);
  Entry entries_[usize{1} << kIndexBits];
  // An origin and its mosaic in one word each, so that a signal handler sees both or neither.
  static constexpr usize kAlls = 256;
  u64 all_[kAlls];
};

}  // namespace bigfoot::rt
