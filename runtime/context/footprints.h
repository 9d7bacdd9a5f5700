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
// is added to the footprint when somebody asks for that. And it tells what the footprint had the
// last time that was done: a sweep over the same elements once more is settled by that.
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

// The largest access that a cursor can be at: those of vector code.
inline constexpr usize kLargestSized = 64;

// What tells one place of the program from another, and which cursor it may have.
struct PlaceKey {
  u64 name;  // never 0
  usize cursor;

  // By return address, calling context, kind and size of the access (0: larger than those of vector
  // code). Calls follow each other in a few bytes, or in some dozens where the test is inlined; no
  // two return to neighbouring bytes. Counted from the run time on, so that calls of an executable
  // have the same cursors in every run, wherever it is loaded.
  [[gnu::always_inline]] static PlaceKey of_call(Pc pc, u64 path, AccessKind kind, usize size) {
    const u64 shape = static_cast<u64>(kind) << 8 | (size <= kLargestSized ? size : 0);
    const u32 offset = static_cast<u32>(pc - reinterpret_cast<uptr>(no_cursors));
    return {(path ^ (pc | shape << 48)) | 1,
            abi::kCursors + (offset * 0x9E3779B1u >> (32 - kCallCursorBits))};
  }
  // By the site of a check, which has one kind and one size, as instrumented code does it. (Where
  // it would say 0 it finds no cursor.)
  [[gnu::always_inline]] static PlaceKey of_site(uptr site, u64 path) {
    const u64 name = site ^ path;
    return {name != 0 ? name : 1, site % abi::kCursors};
  }
};

class Footprints {
 public:
  static constexpr u32 kMax = 2048;

  // The access that the place's cursor expects, or the last one once more. REQUIRES: nobody closes
  // or commits meanwhile.
  [[gnu::always_inline]] bool advance(const PlaceKey& place, uptr a) {
    return advance(cursors(), place, a);
  }
  // The same with what cursors() gave.
  [[gnu::always_inline]] static bool advance(abi::Cursor* cursors, const PlaceKey& place, uptr a) {
    abi::Cursor* found = find(cursors, place);
    if (BF_UNLIKELY(found == nullptr)) return false;
    abi::Cursor& c = *found;
    const usize by = a - c.at;
    if (by == 0) {
      ++reinterpret_cast<Table*>(cursors)->sweeps[found - cursors].again;
      return true;
    }
    // A repeated sweep that comes to where it has not been is not marked so any longer.
    if (BF_UNLIKELY(by != c.step || a - c.low > c.span || c.place != place.name)) return false;
    c.at = a;
    return true;
  }
  [[gnu::always_inline]] static bool is_of(const abi::Cursor& c, const PlaceKey& place) {
    return c.place - place.name <= abi::kAgain;
  }
  // Where instrumented code may look; see abi/layout.h.
  abi::Cursor* cursors() { return table_.cursors; }

  // Adds the elements if the union with one of the place's two latest footprints is a strided
  // range. kRepetitive: so many of them were repeated that all had better be committed first.
  enum class Extended : u8 { kNo, kYes, kRepetitive };
  Extended extend(const PlaceKey& place, AccessKind kind, const Footprint& f);

  bool full() const { return count_ == kMax; }
  // Another footprint had better wait until those there are have been committed.
  bool due() const { return full() || calls_ > kManyCalls; }
  // REQUIRES: !full().
  void begin(const PlaceKey& place, const PlaceFootprint& item);

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
  // Of a place: its latest footprint, the one before (a place often alternates between two), and
  // what the run time has to know of the cursor in the latest one.
  struct Sweep {
    uptr from;  // where the cursor started
    u64 again;  // accesses that stayed where it was
    u32 now, before;
    usize apart;  // the distance that the cursor's `inverse` is for
  };
  // A cursor's place is 0 if there is none; `at` is 0 if there is no access that could be repeated
  // or gone on from, and `step` kNowhere if there is no telling.
  struct Table {
    alignas(64) abi::Cursor cursors[kAllCursors];
    Sweep sweeps[kAllCursors];
  };

  // The place's, if it has one. A call's may be the next one, too: of two calls in a loop that have
  // one cursor, each would begin a footprint with every access. (sor did in one run of twelve,
  // where sites and calls shared their cursors, and its array went into the planes.)
  [[gnu::always_inline]] static abi::Cursor* find(abi::Cursor* cursors, const PlaceKey& place) {
    abi::Cursor* c = &cursors[place.cursor];
    if (BF_LIKELY(is_of(*c, place))) return c;
    if (place.cursor < abi::kCursors) return nullptr;
    c = &cursors[place.cursor ^ 1];
    return is_of(*c, place) ? c : nullptr;
  }
  static constexpr usize kNowhere = usize{1} << 63;
  static constexpr u64 kManyCalls = u64{1} << 15;

  static bool fits(const PlaceFootprint& p, AccessKind kind, const Footprint& f);
  static bool repetitive(const PlaceFootprint& p);
  u32 cursor_for(const PlaceKey& place) const;
  void settle(u32 i);
  enum class Direction : u8 { kUp, kDown };
  void aim(u32 i, const Footprint& latest, Direction direction);
  void show_covered(u32 i);

  Table table_ = {};
  u32 count_ = 0;
  u32 used_count_ = 0;
  u64 committed_ = 0;
  u64 merged_ = 0;
  u64 calls_ = 0;               // of all footprints there are, as far as settled
  u16 used_[kAllCursors] = {};  // the cursors that have a place, `used_count_` of them
  PlaceFootprint items_[kMax];
};

}  // namespace bigfoot::rt
