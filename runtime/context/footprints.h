// What a thread has accessed of arrays since it last synchronised, and has not told their shadows
// yet.
//
// An access at a place of the program that goes on where the last one at that place was extends
// that one's footprint, and costs a few instructions. Footprints are kept in the order in which
// they began, each with the origin of its accesses: so a race that is found when they are committed
// is reported as it would have been at once. They are committed before the thread learns or
// publishes anything, so the clocks they are compared with are those of the time of the access.
//
// Bounded: when there is no room for another footprint, all are committed.
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
  u64 size;      // of one access: f.width is a multiple
  u8 phase = 0;  // of every access, as its origin has it
};

class Footprints {
 public:
  static constexpr u32 kMax = 2048;

  // Adds the access if it goes on where the last one at that place was.
  [[gnu::always_inline]] bool extend(Pc pc, u64 path, AccessKind kind, ByteRange access) {
    Site& s = site(pc);
    if (BF_UNLIKELY(s.pc != pc || s.path != path || s.serial != serial_)) return false;
    if (BF_LIKELY(extend(items_[s.now], kind, access))) return true;
    if (!extend(items_[s.before], kind, access)) return false;
    const u32 now = s.now;
    s.now = s.before;
    s.before = now;
    return true;
  }
  // The same for many elements at once.
  bool extend(Pc pc, u64 path, AccessKind kind, const Footprint& f);

  bool full() const { return count_ == kMax; }
  // REQUIRES: !full().
  void begin(Pc pc, u64 path, const PlaceFootprint& item);

  // In the order in which they began.
  const PlaceFootprint& operator[](u32 i) const { return items_[i]; }
  u32 count() const { return count_; }
  // From here on nothing is extended: the footprints there are will be committed.
  void close() { ++serial_; }
  void clear() {
    count_ = 0;
    ++serial_;
  }
  // Somebody is at it: footprints that a report's hook adds meanwhile are committed with the
  // others.
  bool committing = false;

  u64 merged() const { return merged_; }  // accesses and ranges that found a footprint to extend

 private:
  // The latest footprint of a place, and the one before: a place often alternates between two.
  struct Site {
    Pc pc;
    u64 path;
    u64 serial;  // valid if it is serial_
    u32 now, before;
  };
  static constexpr usize kSites = 128;
  Site& site(Pc pc) { return sites_[(pc >> 2 ^ pc >> 9) % kSites]; }

  [[gnu::always_inline]] bool extend(PlaceFootprint& p, AccessKind kind, ByteRange access) {
    const bool fits = access.begin >= p.room.begin && access.end() <= p.room.end();
    if (!fits || access.size != p.f.width || kind != p.kind) return false;
    // The origin knows where its accesses begin relative to their alignment.
    if (phase_of(access) != p.phase || !p.f.extend(access.begin)) return false;
    ++merged_;
    return true;
  }

  u32 count_ = 0;
  u64 serial_ = 1;
  u64 merged_ = 0;
  Site sites_[kSites] = {};
  PlaceFootprint items_[kMax];
};

}  // namespace bigfoot::rt
