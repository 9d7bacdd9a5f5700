#include "frontends/bfj/oracle.h"

#include <algorithm>
#include <map>

namespace bigfoot::bfj {
namespace {

using Clock = std::vector<std::uint32_t>;
using Kind = Event::Kind;

void join_into(Clock& a, const Clock& b) {
  if (a.size() < b.size()) a.resize(b.size(), 0);
  for (std::size_t i = 0; i < b.size(); ++i) a[i] = std::max(a[i], b[i]);
}

// The clock of each event of a trace, one after the other.
class HappensBefore {
 public:
  // Valid until the next one.
  const Clock& step(const Event& e) {
    Clock& c = threads_[e.thread];
    if (c.size() <= index_of(e.thread)) c.resize(index_of(e.thread) + 1, 0);
    if (e.kind == Kind::Acquire) join_into(c, locks_[e.location.object]);
    if (e.kind == Kind::VolatileRead) join_into(c, volatiles_[e.location]);
    if (e.kind == Kind::Join) join_into(c, threads_[e.other]);
    ++c[index_of(e.thread)];
    if (e.kind == Kind::Release) join_into(locks_[e.location.object], c);
    if (e.kind == Kind::VolatileWrite) join_into(volatiles_[e.location], c);
    if (e.kind == Kind::Fork) join_into(threads_[e.other], c);
    return c;
  }

 private:
  std::map<ThreadId, Clock> threads_;
  std::map<std::uint32_t, Clock> locks_;
  std::map<Location, Clock> volatiles_;
};

// The clocks of all events of a trace, in one piece: an allocation for each would be most of the
// work.
class Clocks {
 public:
  explicit Clocks(const std::vector<Event>& trace) {
    for (const Event& e : trace) {
      width_ = std::max({width_, index_of(e.thread) + 1, index_of(e.other) + 1});
    }
    times_.resize(trace.size() * width_);
    HappensBefore order;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const Clock& c = order.step(trace[i]);
      std::copy(c.begin(), c.end(), times_.begin() + static_cast<std::ptrdiff_t>(i * width_));
    }
  }
  // Whether event i, of thread t, is known to event j.
  bool ordered(std::size_t i, ThreadId t, std::size_t j) const {
    return times_[i * width_ + index_of(t)] <= times_[j * width_ + index_of(t)];
  }

 private:
  std::size_t width_ = 1;
  std::vector<std::uint32_t> times_;
};

bool is_write(const Event& e) {
  return e.kind == Kind::Write || e.kind == Kind::CheckWrite;
}

bool within_grace(const Event& e, const Grace& grace) {
  const std::size_t t = index_of(e.thread);
  if (grace.status[t] == ThreadStatus::Faulted) return true;
  return grace.status[t] == ThreadStatus::OutOfSteps && e.step + grace.slack > grace.steps[t];
}

class Judge {
 public:
  Judge(const std::vector<Event>& trace, const Grace& grace)
      : trace_(trace), grace_(grace), clocks_(trace) {
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (trace[i].is_access() || trace[i].is_check()) by_location_[trace[i].location].push_back(i);
      by_thread_[trace[i].thread].push_back(i);
    }
    for (const auto& [t, indices] : by_thread_) number_spans(indices);
  }

  Verdict run() {
    Verdict v;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (trace_[i].is_access() && !excused(i) && !covered(i)) v.uncovered_accesses.push_back(i);
      if (trace_[i].is_check() && !excused(i) && !legitimate(i)) v.illegitimate_checks.push_back(i);
    }
    for (const auto& [location, indices] : by_location_) {
      if (races(indices, false, false)) v.data_races.insert(location);
      if (races(indices, true, false)) v.check_races.insert(location);
      if (races(indices, false, true)) v.settled_data_races.insert(location);
      if (races(indices, true, true)) v.settled_check_races.insert(location);
    }
    return v;
  }

 private:
  // releases_[i] and acquires_[i]: how many the thread has done before event i.
  void number_spans(const std::vector<std::size_t>& indices) {
    releases_.resize(trace_.size());
    acquires_.resize(trace_.size());
    std::uint32_t releases = 0, acquires = 0;
    for (std::size_t i : indices) {
      releases_[i] = releases;
      acquires_[i] = acquires;
      releases += trace_[i].releases();
      acquires += trace_[i].acquires();
    }
  }

  bool excused(std::size_t i) const { return within_grace(trace_[i], grace_); }

  template <class Accept>
  bool any_by_same_thread(std::size_t i, Accept accept) const {
    const auto& same = by_location_.at(trace_[i].location);
    return std::any_of(same.begin(), same.end(), [&](std::size_t j) {
      return trace_[j].thread == trace_[i].thread && accept(j);
    });
  }

  bool covered(std::size_t access) const {
    return any_by_same_thread(access, [&](std::size_t j) {
      const Event& c = trace_[j];
      if (!c.is_check() || (is_write(trace_[access]) && !is_write(c))) return false;
      return j < access ? releases_[j] == releases_[access] : acquires_[j] == acquires_[access];
    });
  }

  bool legitimate(std::size_t check) const {
    return any_by_same_thread(check, [&](std::size_t j) {
      const Event& a = trace_[j];
      if (!a.is_access() || (is_write(trace_[check]) && !is_write(a))) return false;
      return check < j ? acquires_[check] == acquires_[j] : releases_[check] == releases_[j];
    });
  }

  bool races(const std::vector<std::size_t>& indices, bool checks, bool settled) const {
    for (std::size_t x = 0; x < indices.size(); ++x) {
      const Event& a = trace_[indices[x]];
      if (a.is_check() != checks || (settled && excused(indices[x]))) continue;
      for (std::size_t y = x + 1; y < indices.size(); ++y) {
        const Event& b = trace_[indices[y]];
        if (b.is_check() != checks || a.thread == b.thread) continue;
        if (settled && excused(indices[y])) continue;
        if (!is_write(a) && !is_write(b)) continue;
        if (!clocks_.ordered(indices[x], a.thread, indices[y])) return true;
      }
    }
    return false;
  }

  const std::vector<Event>& trace_;
  const Grace& grace_;
  Clocks clocks_;
  std::map<Location, std::vector<std::size_t>> by_location_;
  std::map<ThreadId, std::vector<std::size_t>> by_thread_;
  std::vector<std::uint32_t> releases_, acquires_;
};

}  // namespace

Verdict judge(const std::vector<Event>& trace, const Grace& grace) {
  return Judge(trace, grace).run();
}

std::optional<std::vector<Event>> without_graced(const std::vector<Event>& trace,
                                                 const Grace& grace) {
  std::vector<Event> settled;
  std::copy_if(trace.begin(), trace.end(), std::back_inserter(settled), [&](const Event& e) {
    return !(e.is_access() || e.is_check()) || !within_grace(e, grace);
  });
  if (settled.size() == trace.size()) return std::nullopt;
  return settled;
}

// Of the accesses of a thread to a location that read, and of those that write, the last one is
// enough: what is not ordered after an earlier one is not ordered after it either.
Verdict judge_races(const std::vector<Event>& trace) {
  struct Last {
    std::map<ThreadId, std::uint32_t> reads, writes;  // the thread's own time
  };
  HappensBefore order;
  std::map<Location, Last> last;
  Verdict v;
  for (const Event& e : trace) {
    const Clock& now = order.step(e);
    if (!e.is_access()) continue;
    const auto unordered = [&](const std::map<ThreadId, std::uint32_t>& earlier) {
      return std::any_of(earlier.begin(), earlier.end(), [&](const auto& a) {
        const std::size_t t = index_of(a.first);
        return a.first != e.thread && (t >= now.size() || now[t] < a.second);
      });
    };
    Last& l = last[e.location];
    if (unordered(l.writes) || (is_write(e) && unordered(l.reads))) v.data_races.insert(e.location);
    (is_write(e) ? l.writes : l.reads)[e.thread] = now[index_of(e.thread)];
  }
  return v;
}

}  // namespace bigfoot::bfj
