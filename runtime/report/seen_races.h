// Which races have been judged before. The first question a race is asked, so it must be cheap: a
// racy loop asks it millions of times.
//
// Two stages, both before anything is symbolised. `SeenCache` answers without a lock: same two
// origins, same object. `SeenPlaces`, under the report's lock, knows the pairs of code addresses
// that were printed. A third stage is the fingerprint itself (reporter.cpp).
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/hash_map.h"
#include "runtime/report/race.h"

namespace bigfoot::rt::report {

// How a race was judged: printed (or a duplicate of something printed), or hidden by the
// suppression with this number.
enum class Verdict : u8 { kPrinted = 0 };
inline constexpr u32 kMaxCachedSuppression = 254;
constexpr Verdict suppressed_by(u32 suppression) {
  return Verdict(suppression + 1);
}
constexpr bool is_suppressed(Verdict v) {
  return v != Verdict::kPrinted;
}
constexpr u32 suppression_of(Verdict v) {
  return static_cast<u32>(v) - 1;
}

// Order-insensitive and stable within the process. `object` tells kinds of objects apart.
u64 race_key(const Race& race, u64 a, u64 b, u64 object);

// A direct-mapped cache: an entry that was overwritten costs time, not truth.
class SeenCache {
 public:
  void initialise();
  bool find(u64 key, Verdict& verdict) const;
  void put(u64 key, Verdict verdict);

 private:
  //  | upper 56 bits of the key : 56 | verdict : 8 |
  static constexpr usize kEntries = usize{1} << 16;
  u64* entries_ = nullptr;
};

}  // namespace bigfoot::rt::report
