#include "runtime/context/perturb.h"

#include "runtime/base/hash_map.h"
#include "runtime/context/events.h"

namespace bigfoot::rt {
namespace {

// Chances in 256 of a delay and of a yield, and the longest delay. Races that need one thread to be
// late are found by delaying it once and for long, so a start is delayed often; accesses are many,
// so each is delayed rarely. What is done when a lock is busy is found by keeping locks that others
// only try: often, because nobody waits for them.
struct Chances {
  u8 delay;
  u8 yield;
  u32 longest_us;
};
constexpr Chances kChances[] = {{128, 64, 3000}, {12, 32, 1500}, {10, 8, 800}, {64, 64, 1500}};

// Some threads are slow for good: what needs a thread to stay behind through several steps.
constexpr u32 kSlowFactor = 6;
bool is_slow(u64 own_seed) {
  return own_seed % 4 == 0;
}

// xorshift64*; never zero.
u64 next_random(u64& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545F4914F6CDD1Dull >> 16;
}

}  // namespace

void perturb_now(Thread& t, PerturbPoint point) {
  const u64 own_seed =
      mix_bits(runtime.perturb_seed * 0x9E3779B97F4A7C15ull + static_cast<u32>(t.id) + 1) | 1;
  if (t.random == 0) t.random = own_seed;
  const Chances& c = kChances[static_cast<usize>(point)];
  const u64 drawn = next_random(t.random);
  const u32 delay = c.delay * (is_slow(own_seed >> 8) ? kSlowFactor : 1);
  const u32 die_roll = static_cast<u32>(drawn & 255);
  if (die_roll < delay)
    sys::sleep_microseconds(static_cast<u32>((drawn >> 8) % c.longest_us));
  else if (die_roll < delay + c.yield)
    sys::yield_cpu();
}

void synchronising(Thread& t) {
  perturb(t, PerturbPoint::kSynchronisation);
}

void tried(Thread& t, uptr) {
  perturb(t, PerturbPoint::kTried);
}

}  // namespace bigfoot::rt
