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
                                       "fork", "join",  "clear",   "copy",
                                       "move"};
  std::ostringstream out;
  out << "t" << e.thread << " " << kNames[e.kind] << " " << e.address;
  if (e.size != 0) out << "+" << e.size;
  if (e.kind == Event::kCopy || e.kind == Event::kMove) out << " to " << e.to;
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
    History& h = bytes_[b];
    for (const Access& a : h.accesses)
      if ((a.writes || writes) && !ordered(a, e.thread)) found.insert(b);
    h.accesses.push_back({e.thread, now, writes});
    h.raced |= found.contains(b);
  }
  return found;
}

bool HappensBefore::has_raced(std::uint64_t byte) const {
  auto it = bytes_.find(byte);
  return it != bytes_.end() && it->second.raced;
}

void HappensBefore::transfer(const Event& e) {
  std::map<std::uint64_t, History> source;
  for (std::uint64_t i = 0; i < e.size; ++i) {
    source[i] = bytes_[e.address + i];
    if (e.kind == Event::kMove) bytes_.erase(e.address + i);
  }
  for (std::uint64_t i = 0; i < e.size; ++i) bytes_[e.to + i] = source[i];
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
    case Event::kCopy:
    case Event::kMove:
      transfer(e);
      break;
  }
  return {};
}

}  // namespace bigfoot::model
