// The naive oracle: every access of a trace is kept, byte by byte, with the full vector clock of
// its thread, and races are found by comparing all pairs. It shares no code with the detector, so
// that one mistake cannot sit in both.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bigfoot::model {

using Time = std::uint64_t;
using Vector = std::map<int, Time>;  // thread -> time, absent is 0

struct Event {
  enum Kind { kRead, kWrite, kAcquire, kRelease, kFork, kJoin, kClear, kCopy, kMove };
  Kind kind;
  int thread;
  std::uint64_t address = 0;  // of an access or clear; lock number; other thread of fork/join
  std::uint64_t size = 0;
  std::uint64_t to = 0;  // where a copy or move goes
};

std::string to_text(const Event& e);
std::string to_text(const std::vector<Event>& trace);

class HappensBefore {
 public:
  // Feeds the next event. Returns the bytes on which this access races with an earlier one.
  std::set<std::uint64_t> step(const Event& e);
  // Whether what is known of the byte contains a race already. A history that is copied or moved
  // takes this along; one that is cleared begins anew.
  bool has_raced(std::uint64_t byte) const;

 private:
  struct Access {
    int thread;
    Time time;
    bool writes;
  };
  bool ordered(const Access& a, int thread) { return clocks_[thread][a.thread] >= a.time; }
  struct History {
    std::vector<Access> accesses;
    bool raced = false;
  };
  std::set<std::uint64_t> access(const Event& e, bool writes);
  void transfer(const Event& e);
  Vector& clock(int thread);

  std::map<int, Vector> clocks_;
  std::map<std::uint64_t, Vector> locks_;
  std::map<std::uint64_t, History> bytes_;
};

}  // namespace bigfoot::model
