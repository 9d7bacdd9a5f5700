#include "frontends/bfj/oracle.h"

#include <algorithm>
#include <map>
#include <span>

namespace bigfoot::bfj {
namespace {

using Clock = std::vector<std::uint32_t>;
using Kind = Event::Kind;

void join_into(Clock& a, const Clock& b) {
  for (std::size_t i = 0; i < b.size(); ++i) a[i] = std::max(a[i], b[i]);
}

bool is_write(const Event& e) {
  return e.kind == Kind::Write || e.kind == Kind::CheckWrite;
}

std::size_t threads_in(const std::vector<Event>& trace) {
  std::size_t count = 1;
  for (const Event& e : trace) {
    count = std::max({count, index_of(e.thread) + 1, index_of(e.other) + 1});
  }
  return count;
}

// Happens-before over a trace: when each event happened by its thread's own clock, and what its
// thread knew of the others. That changes at acquires only, so it is kept once for all events
// between two of them.
class Order {
 public:
  explicit Order(const std::vector<Event>& trace) : threads_(threads_in(trace)) {
    std::vector<Clock> clocks(threads_, Clock(threads_, 0));
    std::vector<std::uint32_t> view_of_thread(threads_, 0);  // 0: none yet
    time_.reserve(trace.size());
    view_.reserve(trace.size());
    for (const Event& e : trace) {
      const std::size_t t = index_of(e.thread);
      Clock& c = clocks[t];
      if (e.kind == Kind::Acquire) join_into(c, lock(e));
      if (e.kind == Kind::VolatileRead) join_into(c, volatile_field(e));
      if (e.kind == Kind::Join) join_into(c, clocks[index_of(e.other)]);
      ++c[t];
      if (e.kind == Kind::Release) join_into(lock(e), c);
      if (e.kind == Kind::VolatileWrite) join_into(volatile_field(e), c);
      if (e.kind == Kind::Fork) join_into(clocks[index_of(e.other)], c);
      if (e.acquires() || view_of_thread[t] == 0) {
        known_.insert(known_.end(), c.begin(), c.end());
        view_of_thread[t] = static_cast<std::uint32_t>(known_.size() / threads_);
      }
      time_.push_back(c[t]);
      view_.push_back(view_of_thread[t] - 1);
    }
  }
  std::size_t threads() const { return threads_; }
  // From 1 on, by the clock of the event's thread.
  std::uint32_t time(std::size_t event) const { return time_[event]; }
  // Whether `event` knows what another thread did at that time.
  bool knows(std::size_t event, std::size_t thread, std::uint32_t time) const {
    return time <= known_[view_[event] * threads_ + thread];
  }

 private:
  Clock& lock(const Event& e) {
    return locks_.try_emplace(e.location.object, threads_, 0).first->second;
  }
  Clock& volatile_field(const Event& e) {
    return volatiles_.try_emplace(e.location, threads_, 0).first->second;
  }

  std::size_t threads_;
  std::vector<std::uint32_t> time_, view_;  // by event
  std::vector<std::uint32_t> known_;        // by view, a clock each
  std::map<std::uint32_t, Clock> locks_;
  std::map<Location, Clock> volatiles_;
};

// Events at one location, in the order of the trace: does one race with an earlier one? Of a
// thread's reads, and of its writes, the last is enough: what does not know an earlier one does not
// know the last.
class LastOf {
 public:
  explicit LastOf(const Order& order)
      : order_(&order), reads_(order.threads(), 0), writes_(order.threads(), 0) {}

  bool races(std::size_t event, const Event& e) {
    const std::size_t self = index_of(e.thread);
    bool found = false;
    for (std::size_t t = 0; t < writes_.size(); ++t) {
      if (t == self) continue;
      found |= !order_->knows(event, t, writes_[t]);
      if (is_write(e)) found |= !order_->knows(event, t, reads_[t]);
    }
    (is_write(e) ? writes_ : reads_)[self] = order_->time(event);
    return found;
  }
  void forget() {
    std::fill(reads_.begin(), reads_.end(), 0);
    std::fill(writes_.begin(), writes_.end(), 0);
  }

 private:
  const Order* order_;
  std::vector<std::uint32_t> reads_, writes_;  // by thread; 0: none
};

bool within_grace(const Event& e, const Grace& grace) {
  const std::size_t t = index_of(e.thread);
  if (grace.status[t] == ThreadStatus::Faulted) return true;
  return grace.status[t] == ThreadStatus::OutOfSteps && e.step + grace.slack > grace.steps[t];
}

class Judge {
 public:
  Judge(const std::vector<Event>& trace, const Grace& grace, std::size_t placements)
      : trace_(trace), order_(trace), data_(order_), checks_(placements, Races(order_)) {
    all_placements_ = (std::uint64_t{1} << placements) - 1;
    verdict_.checks.resize(placements);
    excused_.reserve(trace.size());
    for (const Event& e : trace) excused_.push_back(within_grace(e, grace));
    number_spans();
  }

  Verdict run() {
    const std::vector<std::size_t> events = by_location();
    for (auto begin = events.begin(); begin != events.end();) {
      const Location location = trace_[*begin].location;
      const auto elsewhere = [&](std::size_t i) { return trace_[i].location != location; };
      const auto end = std::find_if(begin, events.end(), elsewhere);
      judge_location({begin, end}, location);
      begin = end;
    }
    for (CheckVerdict& v : verdict_.checks) {
      std::sort(v.uncovered_accesses.begin(), v.uncovered_accesses.end());
      std::sort(v.illegitimate_checks.begin(), v.illegitimate_checks.end());
      std::sort(v.false_names.begin(), v.false_names.end());
    }
    return std::move(verdict_);
  }

 private:
  using Events = std::span<const std::size_t>;  // at one location, in the order of the trace

  struct Races {
    explicit Races(const Order& order) : any(order), settled(order) {}
    LastOf any, settled;
  };

  // Accesses, checks and names, those at one location together and in the order of the trace.
  std::vector<std::size_t> by_location() const {
    std::vector<std::pair<std::uint64_t, std::size_t>> keyed;  // in one word: cheap to sort
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (!trace_[i].is_access() && !trace_[i].is_check() && !trace_[i].is_name()) continue;
      const Location& l = trace_[i].location;
      const std::uint64_t object = std::uint64_t{l.object} << 1 | std::uint64_t{l.is_element};
      static_assert(sizeof l.object == 4 && sizeof l.unit == 4);
      keyed.emplace_back(object << 32 | l.unit, i);
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::size_t> events;
    events.reserve(keyed.size());
    for (const auto& [key, i] : keyed) events.push_back(i);
    return events;
  }

  // releases_[i] and acquires_[i]: how many the thread has done before event i.
  void number_spans() {
    releases_.reserve(trace_.size());
    acquires_.reserve(trace_.size());
    std::vector<std::uint32_t> releases(order_.threads(), 0), acquires(order_.threads(), 0);
    for (const Event& e : trace_) {
      const std::size_t t = index_of(e.thread);
      releases_.push_back(releases[t]);
      acquires_.push_back(acquires[t]);
      releases[t] += e.releases();
      acquires[t] += e.acquires();
    }
  }

  void judge_location(Events events, const Location& location) {
    for (std::size_t at = 0; at < events.size(); ++at) {
      const std::size_t i = events[at];
      if (excused_[i]) continue;
      if (trace_[i].is_check()) {
        if (!legitimate(events, at)) of(trace_[i]).illegitimate_checks.push_back(i);
        continue;
      }
      if (trace_[i].is_name()) {
        if (!took_place(events, at)) of(trace_[i]).false_names.push_back(i);
        continue;
      }
      const std::uint64_t uncovered = all_placements_ & ~covering(events, at);
      for (std::size_t p = 0; uncovered >> p != 0; ++p) {
        if ((uncovered >> p & 1) != 0) verdict_.checks[p].uncovered_accesses.push_back(i);
      }
    }
    const bool shared = std::any_of(events.begin(), events.end(), [&](std::size_t i) {
      return trace_[i].thread != trace_[events[0]].thread;
    });
    if (shared) find_races(events, location);
  }

  CheckVerdict& of(const Event& check_or_name) { return verdict_.checks[check_or_name.placement]; }

  // Goes through what the thread of an event did at this location before it with no release
  // between, and after it with no acquire between, nearest first, until `enough` says so.
  template <class Enough>
  void visit_span(Events events, std::size_t at, Enough enough) const {
    const std::size_t i = events[at];
    for (std::size_t k = at; k-- > 0;) {
      const std::size_t j = events[k];
      if (trace_[j].thread != trace_[i].thread) continue;
      if (releases_[j] != releases_[i]) break;
      if (enough(trace_[j])) return;
    }
    for (std::size_t k = at + 1; k < events.size(); ++k) {
      const std::size_t j = events[k];
      if (trace_[j].thread != trace_[i].thread) continue;
      if (acquires_[j] != acquires_[i]) break;
      if (enough(trace_[j])) return;
    }
  }

  // The placements with a check that covers the access, a bit each.
  std::uint64_t covering(Events events, std::size_t access) const {
    const bool writes = is_write(trace_[events[access]]);
    std::uint64_t placements = 0;
    visit_span(events, access, [&](const Event& c) {
      if (c.is_check() && (!writes || is_write(c))) placements |= std::uint64_t{1} << c.placement;
      return placements == all_placements_;
    });
    return placements;
  }

  bool legitimate(Events events, std::size_t check) const {
    const bool writes = is_write(trace_[events[check]]);
    bool found = false;
    visit_span(events, check,
               [&](const Event& a) { return found = a.is_access() && (!writes || is_write(a)); });
    return found;
  }

  // A write's check is named after a write.
  bool took_place(Events events, std::size_t name) const {
    const CheckName& named = *trace_[events[name]].name;
    bool found = false;
    visit_span(events, name, [&](const Event& a) {
      const bool one_of_them =
          std::find(named.accesses.begin(), named.accesses.end(), a.source) != named.accesses.end();
      return found = a.is_access() && one_of_them && (!named.part.is_write || is_write(a));
    });
    return found;
  }

  void find_races(Events events, const Location& location) {
    data_.any.forget();
    data_.settled.forget();
    for (Races& r : checks_) {
      r.any.forget();
      r.settled.forget();
    }
    for (std::size_t i : events) {
      const Event& e = trace_[i];
      if (e.is_name()) continue;
      Races& among = e.is_check() ? checks_[e.placement] : data_;
      if (among.any.races(i, e)) {
        (e.is_check() ? of(e).races : verdict_.data_races).insert(location);
      }
      if (!excused_[i] && among.settled.races(i, e)) {
        (e.is_check() ? of(e).settled_races : verdict_.settled_data_races).insert(location);
      }
    }
  }

  const std::vector<Event>& trace_;
  Order order_;
  std::vector<bool> excused_;
  std::vector<std::uint32_t> releases_, acquires_;
  std::uint64_t all_placements_;
  // Of the location being judged.
  Races data_;
  std::vector<Races> checks_;  // by placement
  Verdict verdict_;
};

}  // namespace

Verdict judge(const std::vector<Event>& trace, const Grace& grace, std::size_t placements) {
  return Judge(trace, grace, placements).run();
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

std::set<Location> judge_races(const std::vector<Event>& trace) {
  const Order order(trace);
  std::map<Location, LastOf> last;
  std::set<Location> races;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!trace[i].is_access()) continue;
    LastOf& here = last.try_emplace(trace[i].location, order).first->second;
    if (here.races(i, trace[i])) races.insert(trace[i].location);
  }
  return races;
}

}  // namespace bigfoot::bfj
