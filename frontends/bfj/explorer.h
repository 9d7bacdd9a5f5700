// Runs a program under every schedule that matters (or many random ones) and judges each trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/bfj/oracle.h"
#include "frontends/bfj/trace_detector.h"

namespace bigfoot::bfj {

enum class Precision : std::uint8_t {
  Trace,    // a trace has a check race iff it has a data race
  Address,  // the same per address; every access covered, every check legitimate
};

struct ExploreOptions {
  // What is expected of the checks, one for each placement the program holds.
  std::vector<Precision> precision = {Precision::Address};
  // Steps a thread may take; a thread cut off has this many steps of grace.
  std::uint32_t max_steps = 2000;
  std::uint32_t slack = 400;
  // An access may wait for its check until loops that do end have ended, and nested ones around
  // nested calls take many thousand steps. So an execution in which threads were cut off is not
  // called imprecise before they have had this many steps more.
  std::uint32_t patience = 20000;
  // Executions tried exhaustively before falling back to random schedules, and steps taken for
  // them: most orders of a program with long threads end asleep, and make no execution.
  std::uint64_t max_executions = 2000;
  std::uint64_t max_transitions = 20'000'000;
  std::uint64_t random_executions = 50;
  std::uint64_t seed = 1;
  // Prune orders of independent steps (sleep sets). Off: every interleaving.
  bool reduce = true;
  // Off: go on after an imprecise trace, to see all race sets.
  bool stop_at_failure = true;
  // Run on every trace besides the judgement of its checks; they look at the checks of the first
  // placement. Not owned.
  std::vector<TraceDetector*> detectors = {};
};

struct ScheduleStep {
  ThreadId thread;
  bool choice;
};

struct Failure {
  std::string what;
  std::size_t placement = 0;  // whose checks are wrong
  std::vector<ScheduleStep> schedule;
  std::vector<Event> trace;
};

struct ExploreReport {
  std::uint64_t executions = 0;
  bool exhaustive = true;
  std::uint64_t racy_executions = 0;
  std::uint64_t faulted_executions = 0;
  std::uint64_t accesses = 0;
  std::vector<std::uint64_t> checks;  // by placement
  std::set<Location> racy_locations;
  // The first race found and a schedule that shows it.
  std::optional<Failure> race_witness;
  std::optional<Failure> failure;  // the first trace that is not precise
  // Distinct sets of racy locations seen, one per trace; what reduction must preserve.
  std::set<std::set<Location>> race_sets;
};

ExploreReport explore(const Program& program, const ExploreOptions& options);

// One line per event.
std::string format_trace(const Program& program, const std::vector<Event>& trace);

}  // namespace bigfoot::bfj
