#include "runtime/report/seen_races.h"

#include "runtime/base/check.h"

namespace bigfoot::rt::report {
namespace {

constexpr u64 kVerdictMask = 0xff;

u64 side(const Access& access, u64 place) {
  return mix_bits(place * 31 + static_cast<u64>(access.kind)) ^ mix_bits(access.size + 0x51ed27);
}

}  // namespace

u64 race_key(const Race& race, u64 a, u64 b, u64 object) {
  const u64 x = side(race.current, a);
  const u64 y = side(race.previous, b);
  const u64 low = x < y ? x : y;
  const u64 high = x < y ? y : x;
  return mix_bits(mix_bits(low ^ mix_bits(object)) + high) | (u64{1} << 63);  // never zero
}

void SeenCache::initialise() {
  entries_ = static_cast<u64*>(sys::map_memory(kEntries * sizeof(u64)));
  if (entries_ == nullptr) die("cannot allocate memory for reports", "out of memory");
}

bool SeenCache::find(u64 key, Verdict& verdict) const {
  const u64 entry = load_acquire(&entries_[key & (kEntries - 1)]);
  if ((entry & ~kVerdictMask) != (key & ~kVerdictMask) || entry == 0) return false;
  verdict = static_cast<Verdict>(entry & kVerdictMask);
  return true;
}

void SeenCache::put(u64 key, Verdict verdict) {
  store_release(&entries_[key & (kEntries - 1)], (key & ~kVerdictMask) | static_cast<u64>(verdict));
}

}  // namespace bigfoot::rt::report
