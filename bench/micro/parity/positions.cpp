// A file of its own, so that accesses.h's loops do not know what is in the table.
#include "accesses.h"

namespace parity {

extern constexpr std::array<std::uint32_t, kPositions> position = [] {
  std::array<std::uint32_t, kPositions> counted{};
  for (std::uint32_t i = 0; i < kPositions; ++i) counted[i] = i;
  return counted;
}();

}  // namespace parity
