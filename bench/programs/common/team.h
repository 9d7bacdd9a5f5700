// Fork/join and the two ways the programs share out work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace bench {

// Runs body(id) for id in [0, threads): id 0 on the calling thread, the others on threads of their
// own, as the Java Grande programs do. Returns when all are done.
template <typename Body>
void run_team(int threads, const Body& body) {
  std::vector<std::jthread> others;
  others.reserve(static_cast<std::size_t>(threads - 1));
  for (int id = 1; id < threads; ++id) others.emplace_back([&body, id] { body(id); });
  body(0);
}

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The id-th of `parts` contiguous pieces of [first, last), in units of `grain` elements (the last
// piece takes what is left over).
inline Range block_of(std::size_t first, std::size_t last, int id, int parts,
                      std::size_t grain = 1) {
  const std::size_t units = (last - first + grain - 1) / grain;
  const std::size_t share =
      (units + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts);
  const std::size_t begin = std::min(last, first + static_cast<std::size_t>(id) * share * grain);
  return {begin, std::min(last, begin + share * grain)};
}

// A per-thread value on a cache line of its own.
template <typename T>
struct alignas(64) Padded {
  T value{};
};

}  // namespace bench
