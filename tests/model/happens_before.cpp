#include "tests/model/happens_before.h"

#include <sstream>

namespace bigfoot::model {
namespace {
void join(Vector& into, const Vector& from) {
  for (auto [thread, time] : from)
    if (into[thread] < time) into[thread] = time;
}
}  // namespace

std::string to_text(const Event& e) {
  static const char* const kNames[] = {"read", "write", "acquire", "release",
                                       "fork", "join",  "clear"};
  std::ostringstream out;
  out << "t" << e.thread << " " << kNames[e.kind] << " " << e.address;
  if (e.size != 0) out << "+" << e.size;
  return out.str();
}

std::string to_text(const std::vector<Event>& trace) {
  std::string all;
  for (const Event& e : trace) all += "  " + to_text(e) + "\n";
  return all;
}

Vector& HappensBefore::clock(int thread) {
  auto [it, fresh] = clocks_.try_emplace(thread);
  if (fresh) it->second[thread] = 1;
  return it->second;
}

std::set<std::uint64_t> HappensBefore::access(const Event& e, bool writes) {
  std::set<std::uint64_t> found;
  Time now = clock(e.thread)[e.thread];
  for (std::uint64_t b = e.address; b < e.address + e.size; ++b) {
    for (const Access& a : bytes_[b])
      if ((a.writes || writes) && !ordered(a, e.thread)) found.insert(b);
    bytes_[b].push_back({e.thread, now, writes});
  }
  racy_.insert(found.begin(), found.end());
  return found;
}

// The time of a thread passes with every event that publishes it.
std::set<std::uint64_t> HappensBefore::step(const Event& e) {
  Vector& mine = clock(e.thread);
  switch (e.kind) {
    case Event::kRead:
      return access(e, false);
    case Event::kWrite:
      return access(e, true);
    case Event::kAcquire:
      join(mine, locks_[e.address]);
      break;
    case Event::kRelease:
      join(locks_[e.address], mine);
      ++mine[e.thread];
      break;
    case Event::kFork: {
      Vector copy = mine;
      ++mine[e.thread];
      join(clock(static_cast<int>(e.address)), copy);
      break;
    }
    case Event::kJoin:
      join(mine, clock(static_cast<int>(e.address)));
      break;
    case Event::kClear:
      for (std::uint64_t b = e.address; b < e.address + e.size; ++b) bytes_.erase(b);
      break;
  }
  return {};
}

}  // namespace bigfoot::model
