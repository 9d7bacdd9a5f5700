#include "tests/model/last_accesses.h"

#include <algorithm>

namespace bigfoot::model {
namespace {

void join(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
  for (std::size_t t = 0; t < to.size(); ++t) to[t] = std::max(to[t], from[t]);
}

}  // namespace

LastAccesses::LastAccesses(std::size_t bytes, int threads, int locks)
    : clocks_(threads, Times(threads)),
      locks_(locks, Times(threads)),
      history_(bytes, blank()),
      racy_(bytes),
      open_(bytes) {
  for (int t = 0; t < threads; ++t) clocks_[t][t] = 1;
}

void LastAccesses::acquire(int thread, int lock) {
  join(clocks_[thread], locks_[lock]);
}
void LastAccesses::release(int thread, int lock) {
  join(locks_[lock], clocks_[thread]);
  ++clocks_[thread][thread];
}

bool LastAccesses::access(int thread, std::size_t byte, bool writes) {
  Last& last = history_[byte];
  const Times& mine = clocks_[thread];
  bool races = false;
  for (std::size_t t = 0; t < mine.size(); ++t)
    if (last.write[t] > mine[t] || (writes && last.read[t] > mine[t])) races = true;
  if (races) racy_[byte] = true;
  (writes ? last.write : last.read)[thread] = mine[thread];
  return races;
}

void LastAccesses::transfer(std::size_t from, std::size_t to, std::size_t bytes, bool moves) {
  const std::vector<Last> before = history_;
  const std::vector<bool> racy = racy_, open = open_;
  for (std::size_t i = 0; i < bytes && moves; ++i) clear(from + i);
  for (std::size_t i = 0; i < bytes; ++i) {
    history_[to + i] = before[from + i];
    if (racy[from + i] || open[from + i]) open_[to + i] = true;
  }
}

std::set<std::uintptr_t> LastAccesses::racy() const {
  std::set<std::uintptr_t> s;
  for (std::size_t i = 0; i < racy_.size(); ++i)
    if (racy_[i] && !open_[i]) s.insert(i);
  return s;
}

}  // namespace bigfoot::model
