// Pseudo-random inputs that any thread can make for itself: values are functions of what they
// belong to.
#pragma once

#include <cmath>
#include <cstdint>

namespace bench {

// The finaliser of splitmix64: a bijection that scatters neighbouring inputs.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
  return x ^ x >> 31;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t next() { return mix(state_++); }

  // Uniform in [0, bound), for bounds far below 2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // In [0, bound), small values much likelier: density falls as 1/(1 + value), as word frequencies
  // do.
  std::uint64_t skewed(std::uint64_t bound) {
    const double value = std::exp(unit() * std::log(static_cast<double>(bound) + 1)) - 1;
    const auto whole = static_cast<std::uint64_t>(value);
    return whole < bound ? whole : bound - 1;
  }

 private:
  std::uint64_t state_;
};

}  // namespace bench
