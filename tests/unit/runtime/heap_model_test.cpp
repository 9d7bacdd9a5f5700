// Random histories of the heap against the obvious model: a map of live blocks that never overlap.
//
// A failing history is shrunk by dropping steps while it still fails, then printed with its seed.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/heap/heap.h"
#include "runtime/heap/slab_runs.h"

namespace bigfoot::rt::heap {
namespace {

enum class Action { kAllocate, kFree, kResize, kLookUp };
struct Step {
  Action action;
  usize size = 0;
  usize align = kMinAlign;
  bool zeroed = false;
  u32 pick = 0;  // which live block, modulo their number
};

class Model {
 public:
  ~Model() {
    for (auto& [begin, b] : live_) deallocate(reinterpret_cast<void*>(begin));
  }

  // What is wrong after the step, if anything.
  std::optional<std::string> run(const Step& s, u32 serial) {
    if (s.action == Action::kAllocate) return allocate_block(s, serial);
    if (live_.empty()) return {};
    auto it = std::next(live_.begin(), s.pick % live_.size());
    switch (s.action) {
      case Action::kFree:
        return free_block(it);
      case Action::kResize:
        return resize_block(it, s.size, serial);
      default:
        return look_up(it->first, it->second);
    }
  }

 private:
  struct Live {
    usize size;
    u32 serial;
    unsigned char fill;
  };
  using Iterator = std::map<uptr, Live>::iterator;

  std::optional<std::string> allocate_block(const Step& s, u32 serial) {
    auto* p = static_cast<unsigned char*>(
        allocate(s.size, s.align, s.zeroed, Origin{serial}, ThreadId{serial + 1}));
    if (p == nullptr) return "out of memory";
    uptr begin = reinterpret_cast<uptr>(p);
    if (begin % s.align != 0) return "misaligned";
    auto after = live_.lower_bound(begin);
    if (after != live_.end() && begin + s.size > after->first) return "overlaps the next block";
    if (after != live_.begin()) {
      auto before = std::prev(after);
      if (before->first + before->second.size > begin) return "overlaps the block before";
    }
    if (s.zeroed)
      for (usize i = 0; i < s.size; ++i)
        if (p[i] != 0) return "not zeroed";
    Live b{s.size, serial, static_cast<unsigned char>(serial * 131 + 1)};
    std::memset(p, b.fill, b.size);
    live_[begin] = b;
    return look_up(begin, b);
  }

  std::optional<std::string> free_block(Iterator it) {
    auto [begin, b] = *it;
    if (auto e = look_up(begin, b)) return e;
    deallocate(reinterpret_cast<void*>(begin));
    live_.erase(it);
    Block found = find(begin);
    if (found.bytes.begin != begin || found.bytes.size != b.size || found.live)
      return "a freed block is not known as freed";
    return {};
  }

  std::optional<std::string> resize_block(Iterator it, usize size, u32 serial) {
    auto& [begin, b] = *it;
    void* p = reinterpret_cast<void*>(begin);
    if (!resize_in_place(p, size, Origin{serial}, ThreadId{serial + 1})) return look_up(begin, b);
    for (usize i = 0; i < std::min(size, b.size); ++i)
      if (static_cast<unsigned char*>(p)[i] != b.fill) return "resizing changed the contents";
    b.size = size;
    b.serial = serial;
    std::memset(p, b.fill, size);
    return look_up(begin, b);
  }

  static std::optional<std::string> look_up(uptr begin, const Live& b) {
    const auto* p = reinterpret_cast<const unsigned char*>(begin);
    for (usize offset : {usize{0}, b.size / 3, b.size - (b.size > 0)}) {
      if (b.size > 0 && p[offset] != b.fill) return "contents changed";
      Block found = find(begin + offset);
      if (found.bytes.begin != begin || found.bytes.size != b.size || !found.live ||
          found.allocated != Origin{b.serial} || found.thread != ThreadId{b.serial + 1})
        return "wrong facts";
    }
    if (!is_live_start(p) || usable_size(p) != b.size) return "wrong size";
    return {};
  }

  std::map<uptr, Live> live_;
};

std::optional<std::string> run_history(const std::vector<Step>& steps) {
  Model model;
  for (usize i = 0; i < steps.size(); ++i)
    if (auto e = model.run(steps[i], static_cast<u32>(i + 1)))
      return "step " + std::to_string(i) + ": " + *e;
  if (!slab_runs.is_valid()) return "the runs are broken";
  return {};
}

std::vector<Step> random_history(std::mt19937_64& random, usize length) {
  auto below = [&](u64 n) { return random() % n; };
  std::vector<Step> steps(length);
  for (Step& s : steps) {
    u64 a = below(100);
    s.action = a < 45   ? Action::kAllocate
               : a < 85 ? Action::kFree
               : a < 95 ? Action::kResize
                        : Action::kLookUp;
    unsigned magnitude = static_cast<unsigned>(below(18));  // sizes up to 128 KiB, small ones often
    s.size = below(usize{1} << magnitude) + below(2) * (usize{1} << magnitude);
    if (below(4) == 0) s.align = usize{1} << below(18);
    s.zeroed = below(4) == 0;
    s.pick = static_cast<u32>(random());
  }
  return steps;
}

std::vector<Step> shrink(std::vector<Step> steps) {
  for (usize chunk = steps.size() / 2; chunk > 0; chunk /= 2)
    for (usize at = 0; at + chunk <= steps.size();) {
      std::vector<Step> fewer = steps;
      fewer.erase(fewer.begin() + static_cast<long>(at),
                  fewer.begin() + static_cast<long>(at + chunk));
      if (run_history(fewer))
        steps = fewer;
      else
        at += chunk;
    }
  return steps;
}

std::string to_text(const std::vector<Step>& steps) {
  static const char* const kNames[] = {"allocate", "free", "resize", "look up"};
  std::string text;
  for (const Step& s : steps)
    text += std::string(kNames[static_cast<int>(s.action)]) + " size=" + std::to_string(s.size) +
            " align=" + std::to_string(s.align) + " zeroed=" + std::to_string(s.zeroed) +
            " pick=" + std::to_string(s.pick) + "\n";
  return text;
}

TEST(HeapModel, RandomHistoriesAgreeWithTheModel) {
  u64 seed = std::random_device{}();
  if (const char* s = std::getenv("BIGFOOT_TEST_SEED")) seed = std::stoull(s);
  std::printf("seed %llu (set BIGFOOT_TEST_SEED to repeat)\n",
              static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60; ++round) {
    std::vector<Step> steps = random_history(random, 1500);
    if (auto e = run_history(steps)) {
      std::vector<Step> small = shrink(steps);
      FAIL() << *e << "\nshrunk (" << run_history(small).value_or("no longer fails") << "):\n"
             << to_text(small);
    }
  }
}

}  // namespace
}  // namespace bigfoot::rt::heap
