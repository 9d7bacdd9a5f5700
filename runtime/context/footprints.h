// What a thread has accessed of arrays since it last synchronised, and has not told their shadows
// yet.
//
// An access at a place of the program that goes on where the last one at that place was extends
// that one's footprint. Footprints are kept in the order in which they began, each with the origin
// of its accesses: so a race that is found when they are committed is reported as it would have
// been at once. They are committed before the thread learns or publishes anything, so the clocks
// they are compared with are those of the time of the access.
//
// A sweep must cost little more than the inlined test that it cannot pass, so each place has a
// cursor: the access that is expected next. advance() does no more than move it; what it went over
// is added to the footprint when somebody asks for that.
//
//   footprint   | x x x x x x x |
//   cursor                      at -step-> at -step-> ...        never outside of its room
//
// Bounded: when there is no room for another footprint, or the footprints there are stand for very
// many accesses, all are committed. (The latter so that an array in which little is new is found
// out before the epoch ends; see ArrayShadow::commit.)
#pragma once

#include "runtime/array/footprint.h"
#include "runtime/array/registry.h"
#include "runtime/context/thread.h"

namespace bigfoot::rt {

// Accesses at one place of the program to one array.
struct PlaceFootprint {
  Footprint f;     // addresses
  ByteRange room;  // the bytes it may extend to: the array, as far as it is not in the planes
  ArrayRecord* array;
  u32 generation;  // of the array
  Origin origin;
  AccessKind kind;
  u64 size;       // of one access: f.width is a multiple
  u8 phase = 0;   // of every access, as its origin has it
  u64 calls = 1;  // that it was made of; more than it has elements, if they were repeated
};

// What tells one place from another: return address, calling context, kind and size of the access
// (0: larger than those of vector code).
inline constexpr usize kLargestSized = 64;
[[gnu::always_inline]] inline u64 place_key(Pc pc, u64 path, AccessKind kind, usize size) {
  const u64 shape = static_cast<u64>(kind) << 8 | (size <= kLargestSized ? size : 0);
  return (path ^ (pc | shape << 48)) | 1;  // never 0; no two calls return to neighbouring bytes
}

class Footprints {
 public:
  static constexpr u32 kMax = 2048;

  // The access that the place's cursor expects, or the last one once more. `key` is its
  // place_key(). REQUIRES: nobody closes or commits meanwhile.
  [[gnu::always_inline]] bool advance(Pc pc, u64 key, uptr a) {
    Site& s = sites_[index_of(pc)];
    if (BF_UNLIKELY(s.key != key)) return false;
    const usize by = a - s.at;
    if (by == 0) {
      ++s.again;
      return true;
    }
    if (BF_UNLIKELY(by != s.step || a - s.low > s.span)) return false;
    s.at = a;
    return true;
  }

  // Adds the elements if the union with one of the place's two latest footprints is a strided
  // range. kRepetitive: so many of them were repeated that all had better be committed first.
  enum class Extended : u8 { kNo, kYes, kRepetitive };
  Extended extend(Pc pc, u64 path, AccessKind kind, const Footprint& f);

  bool full() const { return count_ == kMax; }
  // Another footprint had better wait until those there are have been committed.
  bool due() const { return full() || calls_ > kManyCalls; }
  // REQUIRES: !full().
  void begin(Pc pc, u64 path, const PlaceFootprint& item);

  // In the order in which they began. REQUIRES: closed.
  const PlaceFootprint& operator[](u32 i) const { return items_[i]; }
  // 0: there is no cursor either, nothing can be extended.
  u32 count() const { return count_; }
  // From here on nothing is extended: the footprints there are will be committed.
  void close();
  // REQUIRES: closed.
  void clear();
  // Somebody is at it: footprints that a report's hook adds meanwhile are committed with the
  // others.
  bool committing = false;

  u64 committed() const { return committed_; }
  u64 merged() const { return merged_; }  // accesses and ranges that found a footprint to extend

 private:
  // A place: its latest footprint, the one before (a place often alternates between two), and the
  // cursor in the latest one.
  struct alignas(64) Site {
    u64 key;     // 0: no place
    uptr at;     // the latest access; 0: none that could be repeated or gone on from
    usize step;  // to the next one, modulo 2^64; kNowhere if there is no telling
    uptr low;    // the cursor stays in [low, low + span]
    usize span;
    uptr from;  // where the cursor started
    u64 again;  // accesses that stayed where it was
    u32 now, before;
  };
  static_assert(sizeof(Site) == 64);
  static constexpr usize kNowhere = usize{1} << 63;
  static constexpr unsigned kSiteBits = 7;
  static constexpr usize kSites = usize{1} << kSiteBits;
  static constexpr u64 kManyCalls = u64{1} << 15;
  // Calls follow each other in a few bytes, or in some dozens where the test is inlined.
  [[gnu::always_inline]] static usize index_of(Pc pc) {
    return static_cast<u32>(pc) * 0x9E3779B1u >> (32 - kSiteBits);
  }

  static bool fits(const PlaceFootprint& p, AccessKind kind, const Footprint& f);
  static bool repetitive(const PlaceFootprint& p);
  void settle(Site& s);
  enum class Direction : u8 { kUp, kDown };
  void aim(Site& s, const Footprint& latest, Direction direction);

  Site sites_[kSites] = {};  // first, where cursors find them
  u32 count_ = 0;
  u32 used_count_ = 0;
  u64 committed_ = 0;
  u64 merged_ = 0;
  u64 calls_ = 0;         // of all footprints there are, as far as settled
  u8 used_[kSites] = {};  // the sites that are places, `used_count_` of them
  PlaceFootprint items_[kMax];
};

}  // namespace bigfoot::rt
