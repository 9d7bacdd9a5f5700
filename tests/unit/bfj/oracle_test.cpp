// The judge of traces against its definitions, spelled out: happens-before as reachability, races
// and covering over all pairs of events. Random traces; a failure prints its seed and the shrunk
// trace.
#include "frontends/bfj/oracle.h"

#include <gtest/gtest.h>

#include <random>

namespace bigfoot::bfj {
namespace {

using Kind = Event::Kind;

constexpr std::size_t kPlacements = 2;

struct Case {
  std::vector<Event> trace;
  Grace grace;
};

bool is_write(const Event& e) {
  return e.kind == Kind::Write || e.kind == Kind::CheckWrite;
}

// ---- The definitions ----

class Definitions {
 public:
  explicit Definitions(const Case& c) : trace_(c.trace), grace_(c.grace) {
    const std::size_t n = trace_.size();
    before_.assign(n, std::vector<bool>(n, false));
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i-- > 0;) {
        if (!edge(trace_[i], trace_[j])) continue;
        before_[i][j] = true;
        for (std::size_t k = 0; k < i; ++k) {
          if (before_[k][i]) before_[k][j] = true;
        }
      }
    }
  }

  Verdict verdict() const {
    Verdict v;
    races(false, 0, v.data_races, v.settled_data_races);
    for (std::size_t p = 0; p < kPlacements; ++p) {
      CheckVerdict& checks = v.checks.emplace_back();
      races(true, p, checks.races, checks.settled_races);
      for (std::size_t i = 0; i < trace_.size(); ++i) {
        if (excused(i)) continue;
        if (trace_[i].is_access() && !covered(i, p)) checks.uncovered_accesses.push_back(i);
        if (of(i, true, p) && !legitimate(i)) checks.illegitimate_checks.push_back(i);
      }
    }
    return v;
  }

 private:
  static bool edge(const Event& a, const Event& b) {
    if (a.thread == b.thread) return true;
    if (a.kind == Kind::Release && b.kind == Kind::Acquire) {
      return a.location.object == b.location.object;
    }
    if (a.kind == Kind::VolatileWrite && b.kind == Kind::VolatileRead) {
      return a.location == b.location;
    }
    // A thread that did nothing was forked and joined all the same.
    const bool forks = a.kind == Kind::Fork, joins = b.kind == Kind::Join;
    return (forks && a.other == b.thread) || (joins && b.other == a.thread) ||
           (forks && joins && a.other == b.other);
  }
  bool excused(std::size_t i) const {
    const std::size_t t = index_of(trace_[i].thread);
    if (grace_.status[t] == ThreadStatus::Faulted) return true;
    return grace_.status[t] == ThreadStatus::OutOfSteps &&
           trace_[i].step + grace_.slack > grace_.steps[t];
  }
  bool of(std::size_t i, bool checks, std::size_t placement) const {
    return checks ? trace_[i].is_check() && trace_[i].placement == placement
                  : trace_[i].is_access();
  }

  void races(bool checks, std::size_t placement, std::set<Location>& all,
             std::set<Location>& settled) const {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      for (std::size_t j = i + 1; j < trace_.size(); ++j) {
        const Event &a = trace_[i], &b = trace_[j];
        if (!of(i, checks, placement) || !of(j, checks, placement)) continue;
        if (a.location != b.location || (!is_write(a) && !is_write(b))) continue;
        if (before_[i][j]) continue;
        all.insert(a.location);
        if (!excused(i) && !excused(j)) settled.insert(a.location);
      }
    }
  }

  // Between the two, the thread of both makes no such step.
  template <class Step>
  bool none_between(std::size_t i, std::size_t j, Step step) const {
    for (std::size_t k = i + 1; k < j; ++k) {
      if (trace_[k].thread == trace_[i].thread && step(trace_[k])) return false;
    }
    return true;
  }
  bool in_one_span(std::size_t i, std::size_t j) const {
    if (trace_[i].thread != trace_[j].thread || trace_[i].location != trace_[j].location) {
      return false;
    }
    return j < i ? none_between(j, i, [](const Event& e) { return e.releases(); })
                 : none_between(i, j, [](const Event& e) { return e.acquires(); });
  }
  bool covered(std::size_t access, std::size_t placement) const {
    for (std::size_t c = 0; c < trace_.size(); ++c) {
      if (of(c, true, placement) && is_write(trace_[c]) >= is_write(trace_[access]) &&
          in_one_span(access, c)) {
        return true;
      }
    }
    return false;
  }
  bool legitimate(std::size_t check) const {
    for (std::size_t a = 0; a < trace_.size(); ++a) {
      if (trace_[a].is_access() && is_write(trace_[a]) >= is_write(trace_[check]) &&
          in_one_span(check, a)) {
        return true;
      }
    }
    return false;
  }

  const std::vector<Event>& trace_;
  const Grace& grace_;
  std::vector<std::vector<bool>> before_;
};

// ---- Random traces ----

Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr std::uint32_t kMaxThreads = 4;
  std::uint32_t threads = 2;
  Case c;
  std::vector<std::uint32_t> steps(kMaxThreads, 0);
  for (std::uint32_t i = 4 + pick(24); i > 0; --i) {
    Event e{};
    const std::uint32_t t = pick(threads);
    e.thread = ThreadId{t};
    // Accesses and checks twice as often as the rest, or spans are all empty.
    const std::uint32_t kind = pick(16);
    e.kind = kind < 10 ? static_cast<Kind>(kind) : static_cast<Kind>(kind % 4);
    e.location = {pick(2), pick(2), pick(2) == 0};
    if (e.kind == Kind::Fork && threads == kMaxThreads) e.kind = Kind::Read;
    if (e.kind == Kind::Fork) e.other = ThreadId{threads++};  // it has done nothing before
    if (e.kind == Kind::Join) e.other = ThreadId{(t + 1) % threads};
    if (e.is_check()) e.placement = static_cast<std::uint8_t>(pick(kPlacements));
    e.step = ++steps[t];
    c.trace.push_back(e);
  }
  for (std::uint32_t t = 0; t < kMaxThreads; ++t) {
    c.grace.status.push_back(static_cast<ThreadStatus>(pick(4)));
    c.grace.steps.push_back(steps[t]);
  }
  c.grace.slack = pick(4);
  return c;
}

bool same(const Verdict& a, const Verdict& b) {
  const auto same_checks = [](const CheckVerdict& x, const CheckVerdict& y) {
    return x.races == y.races && x.settled_races == y.settled_races &&
           x.uncovered_accesses == y.uncovered_accesses &&
           x.illegitimate_checks == y.illegitimate_checks;
  };
  return a.data_races == b.data_races && a.settled_data_races == b.settled_data_races &&
         std::equal(a.checks.begin(), a.checks.end(), b.checks.begin(), b.checks.end(),
                    same_checks);
}

bool agrees(const Case& c) {
  const Verdict expected = Definitions(c).verdict();
  return same(judge(c.trace, c.grace, kPlacements), expected) &&
         judge_races(c.trace) == expected.data_races;
}

std::string shrunk(Case c) {
  for (std::size_t i = 0; i < c.trace.size();) {
    Case smaller = c;
    smaller.trace.erase(smaller.trace.begin() + static_cast<std::ptrdiff_t>(i));
    if (agrees(smaller)) {
      ++i;
    } else {
      c = std::move(smaller);
      i = 0;
    }
  }
  std::string text;
  for (const Event& e : c.trace) {
    text += "thread " + std::to_string(index_of(e.thread)) + " kind " +
            std::to_string(static_cast<int>(e.kind)) + " location " +
            std::to_string(e.location.object) + "," + std::to_string(e.location.unit) + "," +
            std::to_string(e.location.is_element) + " other " + std::to_string(index_of(e.other)) +
            " placement " + std::to_string(e.placement) + "\n";
  }
  return text;
}

TEST(Oracle, JudgesTracesByTheDefinitions) {
  std::size_t racy = 0, imprecise = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    const Case c = random_case(seed);
    ASSERT_TRUE(agrees(c)) << "seed " << seed << "\n" << shrunk(c);
    const Verdict v = judge(c.trace, c.grace, kPlacements);
    racy += !v.settled_data_races.empty();
    imprecise += !v.checks[1].uncovered_accesses.empty();
  }
  // Traces of both sorts, or half of the claim is not tested.
  EXPECT_GT(racy, 2000u);
  EXPECT_LT(racy, 18000u);
  EXPECT_GT(imprecise, 2000u);
}

}  // namespace
}  // namespace bigfoot::bfj
