// Random traces of a few threads, and the shrinking of those that show a difference.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "tests/model/happens_before.h"

namespace bigfoot::model {

struct TraceShape {
  int threads = 3;
  int locks = 2;
  int events = 60;
  std::uint64_t base = 0;    // first byte that is accessed
  std::uint64_t bytes = 24;  // how many there are: few, so that accesses meet
  bool natural = true;       // sizes 1, 2, 4, 8 naturally aligned; otherwise any run of bytes
  bool clears = true;
  bool fields = false;       // half of the accesses and clears are of two to six aligned words
  bool transfers = false;    // copies and moves, overlapping too
};

// Threads other than 0 are forked by an earlier thread before they act; some are joined; locks are
// used in pairs so that traces are feasible.
std::vector<Event> random_trace(std::mt19937_64& random, const TraceShape& shape);

// The shortest trace found by leaving out events for which `fails` still holds.
std::vector<Event> shrink(std::vector<Event> trace,
                          const std::function<bool(const std::vector<Event>&)>& fails);

}  // namespace bigfoot::model
