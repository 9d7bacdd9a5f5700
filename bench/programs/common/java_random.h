// The generator specified for java.util.Random: a 48-bit linear congruential generator. The
// published reference results of the Java Grande programs are results for its sequences.
#pragma once

#include <cmath>
#include <cstdint>

namespace bench {

class JavaRandom {
 public:
  explicit JavaRandom(std::uint64_t seed) : state_((seed ^ kMultiplier) & kMask) {}

  std::int32_t next_int() { return static_cast<std::int32_t>(next_bits(32)); }

  double next_double() {
    const std::uint64_t high = next_bits(26);
    const std::uint64_t low = next_bits(27);
    return static_cast<double>((high << 27) + low) * 0x1.0p-53;
  }

  // Marsaglia's polar method; the second value of a pair is kept for the next call.
  double next_gaussian() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u, v, square;
    do {
      u = 2 * next_double() - 1;
      v = 2 * next_double() - 1;
      square = u * u + v * v;
    } while (square >= 1 || square == 0);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }

 private:
  static constexpr std::uint64_t kMultiplier = 0x5DEECE66DULL;
  static constexpr std::uint64_t kMask = (1ULL << 48) - 1;

  std::uint64_t next_bits(int bits) {
    state_ = (state_ * kMultiplier + 0xB) & kMask;
    return state_ >> (48 - bits);
  }

  std::uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace bench
