#include "tests/model/traces.h"

#include <algorithm>
#include <optional>

namespace bigfoot::model {
namespace {

class Generator {
 public:
  Generator(std::mt19937_64& random, const TraceShape& shape) : random_(random), shape_(shape) {
    running_.push_back(0);
    for (int t = shape.threads - 1; t > 0; --t) unborn_.push_back(t);
  }

  std::vector<Event> run() {
    while (static_cast<int>(trace_.size()) < shape_.events) {
      int t = running_[pick(running_.size())];
      switch (pick(12)) {
        case 0:
          lock(t);
          break;
        case 1:
          unlock(t);
          break;
        case 2:
          fork(t);
          break;
        case 3:
          join(t);
          break;
        case 4:
          if (shape_.clears && pick(4) == 0) add({Event::kClear, t, place(), 0}, true);
          if (shape_.transfers) transfer(t);
          break;
        default:
          add({pick(2) == 0 ? Event::kRead : Event::kWrite, t, 0, 0}, true);
          break;
      }
    }
    return trace_;
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  std::uint64_t place() { return shape_.base + pick(shape_.bytes); }

  void add(Event e, bool ranged) {
    if (ranged) {
      if (shape_.fields && pick(2) == 0) {
        e.size = 8 * (2 + pick(5));
        e.address = place() & ~std::uint64_t{7};
      } else if (shape_.natural) {
        e.size = std::uint64_t{1} << pick(4);
        e.address = place() & ~(e.size - 1);
      } else {
        e.address = place();
        e.size = 1 + pick(20);
      }
      e.size = std::min(e.size, shape_.base + shape_.bytes - e.address);
    }
    trace_.push_back(e);
  }
  // Aligned alike half of the time, as objects are.
  void transfer(int t) {
    Event e{pick(2) == 0 ? Event::kCopy : Event::kMove, t, place(), 0};
    e.to = place();
    if (pick(2) == 0) e.to = std::min(e.to & ~std::uint64_t{7}, shape_.base + shape_.bytes - 8) + (e.address & 7);
    const std::uint64_t room = shape_.base + shape_.bytes - std::max(e.address, e.to);
    e.size = 1 + pick(room);
    trace_.push_back(e);
  }
  void lock(int t) {
    std::uint64_t l = pick(static_cast<std::size_t>(shape_.locks));
    if (std::any_of(held_.begin(), held_.end(), [&](auto& h) { return h.second == l; })) return;
    held_.emplace_back(t, l);
    trace_.push_back({Event::kAcquire, t, l});
  }
  void unlock(int t) {
    auto it = std::find_if(held_.begin(), held_.end(), [&](auto& h) { return h.first == t; });
    if (it == held_.end()) return;
    trace_.push_back({Event::kRelease, t, it->second});
    held_.erase(it);
  }
  void fork(int t) {
    if (unborn_.empty()) return;
    int child = unborn_.back();
    unborn_.pop_back();
    running_.push_back(child);
    trace_.push_back({Event::kFork, t, static_cast<std::uint64_t>(child)});
  }
  // The joined thread does nothing any more; who holds a lock is not joined.
  void join(int t) {
    int child = running_[pick(running_.size())];
    if (child == t || child == 0 || pick(3) != 0) return;
    if (std::any_of(held_.begin(), held_.end(), [&](auto& h) { return h.first == child; })) return;
    running_.erase(std::find(running_.begin(), running_.end(), child));
    trace_.push_back({Event::kJoin, t, static_cast<std::uint64_t>(child)});
  }

  std::mt19937_64& random_;
  TraceShape shape_;
  std::vector<Event> trace_;
  std::vector<int> running_, unborn_;
  std::vector<std::pair<int, std::uint64_t>> held_;
};

}  // namespace

std::vector<Event> random_trace(std::mt19937_64& random, const TraceShape& shape) {
  return Generator(random, shape).run();
}

std::vector<Event> shrink(std::vector<Event> trace,
                          const std::function<bool(const std::vector<Event>&)>& fails) {
  for (std::size_t chunk = trace.size() / 2; chunk > 0;) {
    bool smaller = false;
    for (std::size_t at = 0; at + chunk <= trace.size();) {
      std::vector<Event> shorter = trace;
      shorter.erase(shorter.begin() + static_cast<long>(at),
                    shorter.begin() + static_cast<long>(at + chunk));
      if (fails(shorter))
        trace = shorter, smaller = true;
      else
        ++at;
    }
    if (!smaller) chunk /= 2;
  }
  return trace;
}

}  // namespace bigfoot::model
