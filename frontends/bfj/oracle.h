// The naive judge of a trace: happens-before by definition, then races and precision.
//
// Nothing here is clever. Each event gets a full vector clock; two events are concurrent when
// neither clock knows the other. Covering and legitimacy are the sentences of section 2 (with 5.1's
// reads and writes), checked event against event.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontends/bfj/machine.h"

namespace bigfoot::bfj {

struct Verdict {
  std::set<Location> data_races;   // over the whole trace
  std::set<Location> check_races;  // over the whole trace
  // Those that must have a counterpart: neither side is within the grace of a stopped thread.
  std::set<Location> settled_data_races;
  std::set<Location> settled_check_races;
  // Indices into the trace.
  std::vector<std::size_t> uncovered_accesses;
  std::vector<std::size_t> illegitimate_checks;
};

// A thread that was stopped (out of steps) is given `slack` of its own steps to still place the
// check of an access, or to still make the access of a check.
struct Grace {
  std::vector<ThreadStatus> status;  // by thread, at the end of the trace
  std::vector<std::uint32_t> steps;  // by thread, taken in all
  std::uint32_t slack = 0;
};

Verdict judge(const std::vector<Event>& trace, const Grace& grace);

// The trace without the accesses and checks that are within the grace of their thread; nothing if
// there are none.
std::optional<std::vector<Event>> without_graced(const std::vector<Event>& trace,
                                                 const Grace& grace);

// Only the data races of a trace, by the same definition, for long ones.
Verdict judge_races(const std::vector<Event>& trace);

}  // namespace bigfoot::bfj
