// What the arrays allocated at one place of the program have cost so far, so that those to come
// need not find out again.
//
// Buffers of requests, queues and vectors that grow are made again and again at the same place, and
// each ends in the planes once it has too many parts or its own account says so (ArrayShadow),
// which costs about as much again as the planes would have. So the accounts of arrays that have
// ended or gone FINE are added up by place of allocation, and where the sum says that the planes
// would have been cheaper, arrays begin there. Now and then one is tried all the same.
//
// A place is the call with its two callers: deep enough to tell users of a container apart, without
// what differs from one round of the program to the next (event_sim: 13,000 origins of its
// vectors).
#pragma once

#include "runtime/origin/depot.h"

namespace bigfoot::rt {

// In units of a first access in the planes; see ArrayShadow::keep_account.
struct ArrayAccount {
  u64 here = 0;   // in the array's shadow
  u64 there = 0;  // if it had been in the planes
};

enum class ArrayPlace : u64 {};
inline constexpr ArrayPlace kNoPlace{0};
inline ArrayPlace place_of(const OriginDepot& depot, Origin allocated) {
  Pc pcs[3];
  const usize n = allocated == kNoOrigin ? 0 : depot.stack(allocated, pcs, 3);
  u64 hash = 0;
  for (usize i = 0; i < n; ++i) hash = (hash ^ pcs[i]) * 0x9E3779B97F4A7C15ull;
  return ArrayPlace{hash};
}

// Direct-mapped: a place that comes to where another was starts anew, without a prejudice.
class ArrayPlaces {
 public:
  void add(ArrayPlace place, const ArrayAccount& a) {
    Entry& e = entry(place);
    if (e.place != place) e = {place, 0, {}};
    // What was long ago counts less.
    if (e.sum.here + e.sum.there > kLongAgo) e.sum = {e.sum.here / 2, e.sum.there / 2};
    e.sum.here += a.here;
    e.sum.there += a.there;
  }

  // Whether the next array of the place is to begin in a shadow of its own.
  bool promising(ArrayPlace place) {
    Entry& e = entry(place);
    if (place == kNoPlace || e.place != place || e.sum.here <= e.sum.there + kSlack) return true;
    return ++e.passed_over % kTriedAgain == 0;
  }

 private:
  static constexpr u64 kSlack = 2048, kLongAgo = u64{1} << 24;
  static constexpr u32 kTriedAgain = 64;
  static constexpr unsigned kIndexBits = 10;
  struct Entry {
    ArrayPlace place = kNoPlace;
    u32 passed_over = 0;
    ArrayAccount sum;
  };
  Entry& entry(ArrayPlace place) { return entries_[static_cast<u64>(place) >> (64 - kIndexBits)]; }

  Entry entries_[usize{1} << kIndexBits];
};

}  // namespace bigfoot::rt
