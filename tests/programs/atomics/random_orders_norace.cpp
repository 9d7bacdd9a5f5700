// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: %run_clean %t 2
// RUN: %run_clean %t 3
// RUN: %clangxx --detector=fasttrack %s %support -o %t.fasttrack
// RUN: %run_clean %t.fasttrack 4

// Random atomic and plain accesses by three threads, one after the other, against a naive model of
// C++20: every access has its own time, and every earlier access to the object is looked at. The
// objects on which races are told must be those on which the model finds some. Most steps are
// loads, and most of them of what was loaded before: those are what the run time does a shortcut
// for.
#include <bigfoot/lard.h>
#include <stdio.h>

#include <vector>

#include "script.h"
#include "spawn.h"

namespace {

constexpr int kThreads = 3, kRounds = 600, kSteps = 32, kObjects = 4;  // for each round
using Times = std::vector<int>;                                        // for each thread

struct alignas(64) Object {
  unsigned char bytes[8];
  bool told;  // written by the handler only
};
Object* objects[kRounds * kObjects];

enum Op { kLoad, kStore, kAdd, kSwapIf, kFence, kRead, kWrite };
struct Step {
  int thread;
  Op op;
  int object;
  int offset, size;   // 4 or 8 bytes
  int order;          // __ATOMIC_...
  unsigned expected;  // of kSwapIf, in the low byte
};
bool is_atomic(Op op) {
  return op < kFence;
}

unsigned state = 1;
unsigned draw(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

// --- the model

bool acquires(int o) {
  return o == __ATOMIC_ACQUIRE || o == __ATOMIC_ACQ_REL || o == __ATOMIC_SEQ_CST;
}
bool releases(int o) {
  return o == __ATOMIC_RELEASE || o == __ATOMIC_ACQ_REL || o == __ATOMIC_SEQ_CST;
}
void join(Times& to, const Times& from) {
  for (int i = 0; i < kThreads; ++i)
    if (to[i] < from[i]) to[i] = from[i];
}

struct Access {
  int thread, time, offset, size;
  bool writes, atomic;
};
struct Location {
  std::vector<Access> accesses;
  Times released[2] = {Times(kThreads), Times(kThreads)};  // at offset 0 and 4
  unsigned char low[2] = {0, 0};                           // the value there, modulo 256
  bool raced = false;
};
struct ModelThread {
  Times knows = Times(kThreads), fence = Times(kThreads), pending = Times(kThreads);
};

class Model {
 public:
  bool raced(int object) const { return locations_[object].raced; }
  unsigned low(const Step& s) const { return locations_[s.object].low[s.offset / 4]; }
  void run(const Step& s) {
    ModelThread& t = threads_[s.thread];
    ++t.knows[s.thread];
    if (s.op == kFence) return fence(t, s.order);
    Location& l = locations_[s.object];
    const bool writes = s.op == kStore || s.op == kAdd || s.op == kWrite ||
                        (s.op == kSwapIf && low(s) == s.expected);
    if (writes) set_low(l, s);
    if (!is_atomic(s.op)) return access(l, s, writes);
    const int order = s.op == kSwapIf && !writes ? __ATOMIC_ACQUIRE : s.order;
    Times& released = l.released[s.offset / 4];
    if (s.op != kStore) join(acquires(order) ? t.knows : t.pending, released);
    access(l, s, writes);
    if (!writes) return;
    if (s.op == kStore) released = Times(kThreads);
    join(released, releases(order) ? t.knows : t.fence);
  }

 private:
  void set_low(Location& l, const Step& s) {
    unsigned char& low = l.low[s.offset / 4];
    low = s.op == kAdd ? static_cast<unsigned char>(low + 1) : s.op == kSwapIf ? 2 : 1;
    if (s.size == 8 && s.op != kAdd) l.low[1] = 0;
  }
  void fence(ModelThread& t, int order) {
    if (acquires(order)) join(t.knows, t.pending);
    if (releases(order)) t.fence = t.knows;
  }
  void access(Location& l, const Step& s, bool writes) {
    const ModelThread& t = threads_[s.thread];
    for (const Access& a : l.accesses) {
      const bool meet = a.offset < s.offset + s.size && s.offset < a.offset + a.size;
      const bool conflict = (a.writes || writes) && !(a.atomic && is_atomic(s.op));
      l.raced |= meet && conflict && a.time > t.knows[a.thread];
    }
    l.accesses.push_back({s.thread, t.knows[s.thread], s.offset, s.size, writes, is_atomic(s.op)});
  }
  ModelThread threads_[kThreads];
  std::vector<Location> locations_ = std::vector<Location>(kRounds * kObjects);
};

// --- the program

template <class T>
void perform(T* p, const Step& s) {
  switch (s.op) {
    case kLoad:
      return keep(s.order == __ATOMIC_RELAXED ? __atomic_load_n(p, __ATOMIC_RELAXED)
                                              : __atomic_load_n(p, __ATOMIC_ACQUIRE));
    case kStore:
      return s.order == __ATOMIC_RELAXED ? __atomic_store_n(p, 1, __ATOMIC_RELAXED)
                                         : __atomic_store_n(p, 1, __ATOMIC_RELEASE);
    case kAdd:
      return keep(s.order == __ATOMIC_RELAXED ? __atomic_fetch_add(p, 1, __ATOMIC_RELAXED)
                                              : __atomic_fetch_add(p, 1, __ATOMIC_ACQ_REL));
    case kSwapIf: {
      T seen = static_cast<T>(s.expected);
      __atomic_compare_exchange_n(p, &seen, 2, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
      return keep(static_cast<long>(seen));
    }
    case kRead:
      return keep(static_cast<long>(*p));
    case kWrite:
      *p = 1;
      return;
    case kFence:
      return;
  }
}

void perform(const Step& s) {
  if (s.op == kFence) {
    if (s.order == __ATOMIC_ACQUIRE) return __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (s.order == __ATOMIC_RELEASE) return __atomic_thread_fence(__ATOMIC_RELEASE);
    return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
  unsigned char* p = objects[s.object]->bytes + s.offset;
  if (s.size == 4)
    perform(reinterpret_cast<unsigned*>(p), s);
  else
    perform(reinterpret_cast<unsigned long*>(p), s);
}

Step random_step(int round, const Step& before) {
  Step s{};
  s.thread = draw(3) == 0 ? before.thread : static_cast<int>(draw(kThreads));
  s.size = draw(4) ? 4 : 8;
  s.offset = s.size == 4 && draw(4) == 0 ? 4 : 0;
  const bool relaxed = draw(3) == 0;
  const unsigned kind = draw(32);
  if (kind < 14) {
    s.op = kLoad, s.order = relaxed ? __ATOMIC_RELAXED : __ATOMIC_ACQUIRE;
  } else if (kind < 17) {
    s.op = kStore, s.order = relaxed ? __ATOMIC_RELAXED : __ATOMIC_RELEASE;
  } else if (kind < 19) {
    s.op = kAdd, s.order = relaxed ? __ATOMIC_RELAXED : __ATOMIC_ACQ_REL;
  } else if (kind < 21) {
    s.op = kSwapIf, s.order = __ATOMIC_RELEASE;
  } else if (kind < 23) {
    const int orders[] = {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST};
    s.op = kFence, s.order = orders[draw(3)];
  } else {
    s.op = kind < 27 ? kRead : kWrite;
  }
  // Two of the objects are rarely accessed in the other way, two are all sorts of things.
  const unsigned mostly = is_atomic(s.op) ? 0 : 1;
  s.object = round * kObjects + static_cast<int>(draw(4) ? mostly : draw(kObjects));
  return s;
}

__attribute__((no_sanitize("thread"))) int told(const bf_lard_race* race, void*) {
  reinterpret_cast<Object*>(reinterpret_cast<unsigned long>(race->current.address) & ~63ul)->told =
      true;
  return BF_LARD_QUIET;
}
__attribute__((no_sanitize("thread"))) bool was_told(int object) {
  return objects[object]->told;
}

}  // namespace

int main(int argc, char** argv) {
  state = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 1;
  const unsigned seed = state;
  require(bf_lard_on_race(told, nullptr, BF_LARD_TELL) == BF_LARD_OK);
  for (Object*& o : objects) o = new Object{};
  Model model;
  std::vector<Step> steps;
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < kSteps; ++i) {
      Step s = random_step(round, steps.empty() ? Step{} : steps.back());
      // Of an object that has raced no more is promised.
      if (s.op != kFence && model.raced(s.object)) continue;
      // A value of eight bytes is more than its low byte after an access to its upper half.
      if (s.op == kSwapIf) s.size = 4, s.expected = model.low(s) ^ draw(2);
      model.run(s);
      steps.push_back(s);
    }
  const auto run = [&](int thread) {
    for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
      if (steps[i].thread != thread) continue;
      script_wait_for(0, i);
      perform(steps[i]);
      script_post(0);
    }
  };
  run_threads([&] { run(0); }, [&] { run(1); }, [&] { run(2); });
  int racy = 0, wrong = 0;
  for (int i = 0; i < kRounds * kObjects; ++i) {
    racy += model.raced(i);
    if (model.raced(i) == was_told(i)) continue;
    if (wrong++ == 0)
      fprintf(stderr, "seed %u: object %d %s\n", seed, i,
              model.raced(i) ? "was missed" : "has no race");
  }
  require(wrong == 0 && racy > 100 && racy < kRounds * kObjects - 100);
}
