// The judge of a trace: happens-before by definition, then races and precision.
//
// Little here is clever. Each event has the vector clock of its thread; two events are concurrent
// when neither clock knows the other. Covering and legitimacy are the sentences of section 2 (with
// 5.1's reads and writes). That looking at neighbours is enough (the nearest check of an access, a
// thread's last access before another's) is compared with looking at all pairs in oracle_test.cpp.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontends/bfj/machine.h"

namespace bigfoot::bfj {

// What the checks of one placement say about a trace.
struct CheckVerdict {
  std::set<Location> races;          // over the whole trace
  std::set<Location> settled_races;  // as settled_data_races
  // Indices into the trace.
  std::vector<std::size_t> uncovered_accesses;
  std::vector<std::size_t> illegitimate_checks;
  // Names none of whose accesses is in the span of the check, at the location: a report would send
  // its reader to an access that did not take place.
  std::vector<std::size_t> false_names;
};

struct Verdict {
  std::set<Location> data_races;  // over the whole trace
  // Those that must have a counterpart: neither side is within the grace of a stopped thread.
  std::set<Location> settled_data_races;
  std::vector<CheckVerdict> checks;  // by placement
};

// A thread that was stopped (out of steps) is given `slack` of its own steps to still place the
// check of an access, or to still make the access of a check.
struct Grace {
  std::vector<ThreadStatus> status;  // by thread, at the end of the trace
  std::vector<std::uint32_t> steps;  // by thread, taken in all
  std::uint32_t slack = 0;
};

// REQUIRES: the checks of the trace belong to placements below `placements`.
Verdict judge(const std::vector<Event>& trace, const Grace& grace, std::size_t placements = 1);

// The trace without the accesses and checks that are within the grace of their thread; nothing if
// there are none.
std::optional<std::vector<Event>> without_graced(const std::vector<Event>& trace,
                                                 const Grace& grace);

// Only the data races of a trace, by the same definition, for long ones.
std::set<Location> judge_races(const std::vector<Event>& trace);

}  // namespace bigfoot::bfj
