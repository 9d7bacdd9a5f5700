// Depth-first search over states with sleep sets (Godefroid): after all executions that begin with
// step a have been tried, a need not be tried again until something that depends on a has happened.
#include "frontends/bfj/explorer.h"

#include <algorithm>
#include <deque>
#include <random>

#include "frontends/bfj/printer.h"

namespace bigfoot::bfj {
namespace {

using StepKind = NextStep::Kind;

bool independent(const NextStep& a, const NextStep& b) {
  const auto is_lock = [](const NextStep& s) {
    return s.kind == StepKind::Lock || s.kind == StepKind::Unlock;
  };
  if (a.kind == StepKind::Choice || b.kind == StepKind::Choice) return true;
  if (a.kind == StepKind::Access && b.kind == StepKind::Access) {
    return a.location != b.location || (!a.is_write && !b.is_write);
  }
  if (a.kind == StepKind::Volatile && b.kind == StepKind::Volatile) {
    return a.location != b.location || (!a.is_write && !b.is_write);
  }
  if (is_lock(a) && is_lock(b)) return a.location.object != b.location.object;
  // Forks name the new thread by number, so two forks do not commute. Joins wait for a whole
  // thread.
  if (a.kind == StepKind::Fork || b.kind == StepKind::Fork) {
    return a.kind != b.kind;
  }
  return true;
}

class Explorer {
 public:
  Explorer(const Program& program, const ExploreOptions& options)
      : options_(options), machine_(program, options.max_steps) {
    report_.checks.resize(options.precision.size(), 0);
  }

  ExploreReport run() {
    const State start = machine_.initial(trace_);
    explore(start, {});
    if (!report_.exhaustive && !report_.failure) run_random(start);
    return std::move(report_);
  }

 private:
  struct Sleeper {
    ThreadId thread;
    NextStep step;
  };

  bool done() {
    if (report_.failure && options_.stop_at_failure) return true;
    const bool enough =
        report_.executions >= options_.max_executions || transitions_ >= options_.max_transitions;
    if (enough) report_.exhaustive = false;
    return !report_.exhaustive;
  }

  // A copy that lives until the search comes back to this depth. It is assigned to the copy made
  // here before, whose parts are the size this one needs more often than not: three quarters of the
  // search went into allocating states.
  State& copy_of(const State& state) {
    const std::size_t depth = schedule_.size();
    if (depth == copies_.size()) copies_.emplace_back();
    return copies_[depth] = state;
  }

  void explore(const State& state, std::vector<Sleeper> sleeping) {
    if (done()) return;
    bool any_enabled = false;
    for (std::size_t i = 0; i < state.thread_count(); ++i) {
      const ThreadId t{static_cast<std::uint32_t>(i)};
      const NextStep step = machine_.next(state, t);
      if (step.kind == StepKind::None || !step.enabled) continue;
      any_enabled = true;
      const bool asleep = std::any_of(sleeping.begin(), sleeping.end(),
                                      [&](const Sleeper& s) { return s.thread == t; });
      if (asleep) continue;
      std::vector<Sleeper> still;
      for (const Sleeper& s : sleeping) {
        if (independent(s.step, step)) still.push_back(s);
      }
      for (const bool choice : {false, true}) {
        if (choice && step.kind != StepKind::Choice) continue;
        State& next = copy_of(state);
        const std::size_t mark = trace_.size();
        ++transitions_;
        machine_.step(next, t, choice, trace_);
        schedule_.push_back({t, choice});
        explore(next, still);
        schedule_.pop_back();
        trace_.resize(mark);
      }
      if (done()) return;
      if (options_.reduce) sleeping.push_back({t, step});
    }
    if (!any_enabled) judge_trace(state);
  }

  void run_random(const State& start) {
    std::mt19937_64 random(options_.seed);
    const std::size_t mark = trace_.size();
    for (std::uint64_t i = 0; i < options_.random_executions && !report_.failure; ++i) {
      State state = start;
      schedule_.clear();
      run_to_end(state, random);
      judge_trace(state);
      trace_.resize(mark);
    }
    schedule_.clear();
  }

  void run_to_end(State& state, std::mt19937_64& random) {
    std::vector<ThreadId> enabled;
    while (true) {
      enabled.clear();
      for (std::size_t k = 0; k < state.thread_count(); ++k) {
        const ThreadId t{static_cast<std::uint32_t>(k)};
        const NextStep step = machine_.next(state, t);
        if (step.kind != StepKind::None && step.enabled) enabled.push_back(t);
      }
      if (enabled.empty()) return;
      const ThreadId t = enabled[random() % enabled.size()];
      const bool choice = random() % 2 != 0;
      schedule_.push_back({t, choice});
      machine_.step(state, t, choice, trace_);
    }
  }

  static bool any_thread_is(ThreadStatus status, const State& state) {
    for (std::size_t i = 0; i < state.thread_count(); ++i) {
      if (state.status(ThreadId{static_cast<std::uint32_t>(i)}) == status) return true;
    }
    return false;
  }

  void judge_trace(const State& state) {
    ++report_.executions;
    const bool faulted = any_thread_is(ThreadStatus::Faulted, state);
    report_.faulted_executions += faulted;
    for (const Event& e : trace_) {
      report_.accesses += e.is_access();
      if (e.is_check()) ++report_.checks[e.placement];
    }
    const Verdict v = judge(trace_, grace_of(state), options_.precision.size());
    if (!v.data_races.empty()) {
      ++report_.racy_executions;
      report_.racy_locations.insert(v.data_races.begin(), v.data_races.end());
      if (!report_.race_witness) {
        report_.race_witness = Failure{"data race on " + machine_.describe(*v.data_races.begin()),
                                       0, schedule_, trace_};
      }
    }
    report_.race_sets.insert(v.data_races);
    if (faulted || report_.failure) return;  // errors are outside the guarantee
    auto failure = imprecision(v, state);
    if (failure && any_thread_is(ThreadStatus::OutOfSteps, state)) {
      failure = imprecision_after_all(state);
    }
    report_.failure = std::move(failure);
  }

  Grace grace_of(const State& state) const {
    Grace grace;
    grace.slack = options_.slack;
    for (std::size_t i = 0; i < state.thread_count(); ++i) {
      const ThreadId t{static_cast<std::uint32_t>(i)};
      grace.status.push_back(state.status(t));
      grace.steps.push_back(state.steps(t));
    }
    return grace;
  }

  // What is wrong is so at any bound.
  std::optional<Failure> imprecision_after_all(const State& stopped) {
    const std::size_t events = trace_.size(), steps = schedule_.size();
    State state = stopped;
    std::mt19937_64 random(options_.seed);
    machine_.extend(state, options_.patience, trace_);
    run_to_end(state, random);
    std::optional<Failure> failure;
    if (!any_thread_is(ThreadStatus::Faulted, state)) {
      failure = imprecision(judge(trace_, grace_of(state), options_.precision.size()), state);
    }
    trace_.resize(events);
    schedule_.resize(steps);
    return failure;
  }

  std::optional<Failure> imprecision(const Verdict& v, const State& state) const {
    for (std::size_t p = 0; p < options_.precision.size(); ++p) {
      if (auto what = imprecision(v, p)) return Failure{std::move(*what), p, schedule_, trace_};
    }
    for (TraceDetector* d : options_.detectors) {
      if (auto what = imprecision(*d, v, grace_of(state), state.heap())) {
        return Failure{std::move(*what), 0, schedule_, trace_};
      }
    }
    return std::nullopt;
  }

  // Detectors are judged like checks: what is within the grace of a stopped thread may go
  // unreported, and a report that rests on it may be the first half of a race.
  std::optional<std::string> imprecision(TraceDetector& detector, const Verdict& v,
                                         const Grace& grace,
                                         const std::vector<HeapObject>& heap) const {
    const auto settled_trace = without_graced(trace_, grace);
    const std::set<Location> reported = detector.reports(trace_, heap);
    const std::set<Location> settled =
        settled_trace ? detector.reports(*settled_trace, heap) : reported;
    const std::string who = std::string(detector.name()) + " ";
    for (const Location& l : v.settled_data_races) {
      if (detector.address_precise() ? reported.contains(l) : !reported.empty()) continue;
      return who + "missed: data race on " + machine_.describe(l);
    }
    for (const Location& l : settled) {
      if (detector.address_precise() ? v.data_races.contains(l) : !v.data_races.empty()) continue;
      return who + "false alarm on " + machine_.describe(l);
    }
    return std::nullopt;
  }

  std::optional<std::string> imprecision(const Verdict& v, std::size_t placement) const {
    const CheckVerdict& checks = v.checks[placement];
    if (options_.precision[placement] == Precision::Trace) {
      if (!v.settled_data_races.empty() && checks.races.empty()) {
        return "missed: the trace has a data race on " +
               machine_.describe(*v.settled_data_races.begin()) + " but no check race";
      }
      if (!checks.settled_races.empty() && v.data_races.empty()) {
        return "false alarm: check race on " + machine_.describe(*checks.settled_races.begin()) +
               " in a race-free trace";
      }
      return std::nullopt;
    }
    for (const Location& l : v.settled_data_races) {
      if (!checks.races.contains(l)) return "missed: data race on " + machine_.describe(l);
    }
    for (const Location& l : checks.settled_races) {
      if (!v.data_races.contains(l)) return "false alarm: check race on " + machine_.describe(l);
    }
    if (!checks.uncovered_accesses.empty()) {
      const Event& e = trace_[checks.uncovered_accesses[0]];
      return "access to " + machine_.describe(e.location) + " at line " +
             std::to_string(e.pos.line) + " has no covering check";
    }
    if (!checks.illegitimate_checks.empty()) {
      const Event& e = trace_[checks.illegitimate_checks[0]];
      return "check of " + machine_.describe(e.location) + " is legitimate for no access";
    }
    if (!checks.false_names.empty()) {
      const Event& e = trace_[checks.false_names[0]];
      return "check of " + machine_.describe(e.location) + " is named after `" +
             print_head(*e.name->accesses[0]) + "`, which did not touch it";
    }
    return std::nullopt;
  }

  const ExploreOptions& options_;
  Machine machine_;
  std::vector<Event> trace_;
  std::vector<ScheduleStep> schedule_;
  std::deque<State> copies_;  // by depth; references stay valid as it grows
  std::uint64_t transitions_ = 0;
  ExploreReport report_;
};

const char* name_of(Event::Kind kind) {
  constexpr const char* kNames[] = {"read",    "write",   "check_read",    "check_write",
                                    "acquire", "release", "volatile read", "volatile write",
                                    "fork",    "join",    "name"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

ExploreReport explore(const Program& program, const ExploreOptions& options) {
  return Explorer(program, options).run();
}

std::string format_trace(const Program& program, const std::vector<Event>& trace) {
  const Machine machine(program, 1);
  std::string text;
  for (const Event& e : trace) {
    text += "  thread " + std::to_string(index_of(e.thread) + 1) + ": " + name_of(e.kind);
    if (e.kind == Event::Kind::Fork || e.kind == Event::Kind::Join) {
      text += " thread " + std::to_string(index_of(e.other) + 1);
    } else if (e.kind == Event::Kind::Acquire || e.kind == Event::Kind::Release) {
      const std::string full = machine.describe({e.location.object, 0, false});
      text += " " + full.substr(0, full.rfind('.'));
    } else {
      text += " " + machine.describe(e.location);
    }
    if (e.pos.line > 0) text += "  (line " + std::to_string(e.pos.line) + ")";
    text += "\n";
  }
  return text;
}

}  // namespace bigfoot::bfj
