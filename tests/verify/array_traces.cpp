// Random traces of threads that share memory (traced_memory.h: a heap block, globals, a mapping),
// on the real run time and on the naive model (tests/model/last_accesses.h): no difference is
// allowed in the bytes that race.
//
//   array_traces FIRST COUNT
//
// Where unit_arrays holds the forms of arrays against the model, this goes the whole way from
// instrumented code to the reports: cursors, footprints, commits at synchronisation and before a
// free, arrays that move into the planes or are forgotten in part, and what is told of a racy part.
// This file is built without instrumentation: its schedule, which is the trace, orders nothing that
// the detector could see.
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "array_places.h"
#include "runtime/context/on_race.h"
#include "tests/model/last_accesses.h"
#include "traced_memory.h"

namespace {

constexpr int kThreads = 4, kLocks = 2;

struct Op {
  enum Kind {
    kSweep,    // `repeats` times
    kScatter,  // single elements here and there
    kEpochs,   // the same, each in a critical section of its own
    kLock,
    kUnlock,
    kAllKnow,  // its sections follow those of all others, theirs follow it
    kRenew,    // other memory takes its place
    kRemap,    // `place` says how; `begin` and `count` in bytes
  } kind;
  int thread;
  int place = 0;
  long begin = 0, step = 0, count = 0, repeats = 1;
  int lock = 0;

  long offset(long i) const {
    if (kind == kSweep) return begin + i * step;
    return begin + i * 7919 % count * step;  // 7919 is a prime: all elements in some order
  }
};
const char* const kNames[] = {"sweep",  "scatter",  "epochs", "lock",
                              "unlock", "all-know", "renew",  "remap"};

struct Trace {
  MemoryKind memory;
  long bytes;
  std::vector<Op> ops;
};

std::string to_text(const Trace& trace) {
  std::string text = std::string(kMemoryNames[static_cast<int>(trace.memory)]) + ", " +
                     std::to_string(trace.bytes) + " bytes\n";
  for (const Op& op : trace.ops) {
    char line[160];
    if (op.kind == Op::kRemap) {
      std::snprintf(line, sizeof line, "T%d %s at %ld, %ld bytes\n", op.thread,
                    kRemappingNames[op.place], op.begin, op.count);
      text += line;
      continue;
    }
    std::snprintf(
        line, sizeof line, "T%d %-8s place %d: %ld elements from %ld by %ld, %ld times; lock %d\n",
        op.thread, kNames[op.kind], op.place, op.count, op.begin, op.step, op.repeats, op.lock);
    text += line;
  }
  return text;
}

// --- making traces

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Trace trace() {
    Trace trace{static_cast<MemoryKind>(below(kMemoryKinds)), 0, {}};
    const long most = most_bytes(trace.memory);
    trace.bytes = most - some_of(8) * ((most - 1024) / 8);
    unit_ = 8 << below(3);
    used_places_.clear();
    for (std::size_t n = 1 + below(6); n > 0; --n)
      used_places_.push_back(static_cast<int>(below(kPlaces)));
    // Some programs access the block only with the first lock held: but for the odd slip.
    const bool careful = below(2) == 0;
    // Others know no single elements: their arrays are not driven into the planes.
    const bool sweeping = below(2) == 0;
    std::vector<int> holder(kLocks, -1);
    for (std::size_t n = 6 + below(30); n > 0; --n) {
      int t = static_cast<int>(below(kThreads));
      const int lock = careful ? 0 : static_cast<int>(below(kLocks));
      if (careful && below(40) != 0) {
        if (holder[0] < 0) {
          trace.ops.push_back({Op::kLock, t, 0, 0, 0, 0, 1, 0});
          holder[0] = t;
        }
        t = holder[0];
      }
      const std::size_t what = below(20);
      if (what < 8) {
        // In pairs, so that most accesses are ordered and histories grow long.
        if (holder[lock] >= 0) {
          trace.ops.push_back({Op::kUnlock, holder[lock], 0, 0, 0, 0, 1, lock});
          holder[lock] = -1;
        } else {
          trace.ops.push_back({Op::kLock, t, 0, 0, 0, 0, 1, lock});
          holder[lock] = t;
        }
      } else if (what == 8 && below(4) == 0) {
        trace.ops.push_back({Op::kRenew, t});
      } else if ((what == 9 || what > 16) && trace.memory == MemoryKind::kMapped) {
        trace.ops.push_back(some_remapping(trace.bytes, t));
      } else if (what < 11 && holder[lock] < 0) {
        trace.ops.push_back(what == 9 || sweeping ? Op{Op::kAllKnow, t, 0, 0, 0, 0, 1, lock}
                                                  : some(trace.bytes, Op::kEpochs, t, lock));
      } else {
        const bool scatters = what == 11 && !sweeping;
        trace.ops.push_back(some(trace.bytes, scatters ? Op::kScatter : Op::kSweep, t, lock));
      }
    }
    for (int lock = 0; lock < kLocks; ++lock)
      if (holder[lock] >= 0) trace.ops.push_back({Op::kUnlock, holder[lock], 0, 0, 0, 0, 1, lock});
    return trace;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  long some_of(long n) { return static_cast<long>(below(static_cast<std::size_t>(n))); }

  Op some_remapping(long bytes, int thread) {
    const long pages = (bytes + kTracedPage - 1) / kTracedPage, at = some_of(pages);
    const long count = 1 + some_of(pages - at);
    return {Op::kRemap,       thread, static_cast<int>(below(kRemappings)),
            at * kTracedPage, 0,      count * kTracedPage};
  }

  // Elements that are all inside.
  Op some(long bytes, Op::Kind kind, int thread, int lock) {
    Op op{kind, thread, used_places_[below(used_places_.size())], 0, 0, 0, 1, lock};
    const long width = places[op.place].width, room = bytes - width;
    const long natural = width > 8 ? 8 : width;
    op.step = below(3) == 0 ? unit_ : width;  // structs of the program's size
    if (op.step < width && below(2) == 0) op.step = width;
    op.step = (op.step + natural - 1) / natural * natural;
    // All of it, the thread's share, or anything.
    const std::size_t where = below(3);
    op.begin = where == 0 ? 0 : where == 1 ? bytes * thread / kThreads : some_of(room + 1);
    op.begin = op.begin / natural * natural;
    if (op.begin > room) op.begin = room / natural * natural;
    const long end = where == 1 ? bytes * (thread + 1) / kThreads - width : room;
    const long most = end < op.begin ? 1 : (end - op.begin) / op.step + 1;
    op.count = where == 2 || below(8) == 0 ? 1 + some_of(most) : most;
    if (op.kind == Op::kEpochs && op.count > 60) op.count = 60;
    if (op.kind == Op::kSweep) {
      if (below(12) == 0) op.repeats = 2 + some_of(12);
      if (below(4) == 0) {
        op.begin += (op.count - 1) * op.step;
        op.step = -op.step;
      }
    }
    return op;
  }

  std::mt19937_64 random_;
  long unit_ = 8;
  std::vector<int> used_places_;
};

// --- the model

// What of the memory is new after it.
struct Cleared {
  long begin, end;
};
Cleared cleared_by(const Op& op, long bytes) {
  const long end = op.begin + op.count < bytes ? op.begin + op.count : bytes;
  switch (static_cast<Remapping>(op.place)) {
    case Remapping::kUnmapPart:
      return {op.begin, end};
    case Remapping::kMapTail:
      return {op.begin, bytes};
    case Remapping::kMapHead:
      return {0, op.begin};
    case Remapping::kMove:
    case Remapping::kMovePart:
    case Remapping::kMoveTail:
      break;
  }
  return {0, 0};
}

std::set<std::uintptr_t> expected(const Trace& trace) {
  const auto bytes = static_cast<std::size_t>(trace.bytes);
  bigfoot::model::LastAccesses model(bytes, kThreads, kLocks);
  auto elements = [&](const Op& op, const std::function<void()>& before,
                      const std::function<void()>& after) {
    for (long i = 0; i < op.count; ++i) {
      before();
      for (long k = 0; k < places[op.place].width; ++k) {
        const auto byte = static_cast<std::size_t>(op.offset(i) + k);
        if (places[op.place].does != Does::kWrite) model.access(op.thread, byte, false);
        if (places[op.place].does != Does::kRead) model.access(op.thread, byte, true);
      }
      after();
    }
  };
  for (const Op& op : trace.ops) {
    auto enter = [&] { model.acquire(op.thread, op.lock); };
    auto leave = [&] { model.release(op.thread, op.lock); };
    auto nothing = [] {};
    switch (op.kind) {
      case Op::kSweep:
      case Op::kScatter:
        elements(op, nothing, nothing);
        break;
      case Op::kEpochs:
        elements(op, enter, leave);
        break;
      case Op::kLock:
        enter();
        break;
      case Op::kUnlock:
        leave();
        break;
      case Op::kAllKnow:
        for (int round = 0; round < 2; ++round)
          for (int t = 0; t < kThreads; ++t) {
            model.acquire(t, op.lock);
            model.release(t, op.lock);
          }
        break;
      case Op::kRenew:
        // A free counts as a write; the others say nothing of what was before.
        for (std::size_t i = 0; i < bytes && trace.memory == MemoryKind::kHeap; ++i)
          model.access(op.thread, i, true);
        for (std::size_t i = 0; i < bytes; ++i) model.clear(i);
        break;
      case Op::kRemap: {
        const Cleared part = cleared_by(op, trace.bytes);
        for (long i = part.begin; i < part.end; ++i) model.clear(static_cast<std::size_t>(i));
        break;
      }
    }
  }
  return model.racy();
}

// --- the real thing

struct Run {
  const Trace& trace;
  TracedMemory memory;
  std::atomic<unsigned> turn = 0;  // of steps
  pthread_mutex_t locks[kLocks] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  std::vector<unsigned char> racy;  // by byte
};
Run* run = nullptr;

// In the place of reports, which would be thousands. Threads that end at the same time may be told
// at the same time.
bool note_race(const bigfoot::rt::report::Race& race) {
  const std::uintptr_t first =
      race.overlap.begin - reinterpret_cast<std::uintptr_t>(run->memory.data());
  for (std::uintptr_t i = first; i < first + race.overlap.size; ++i)
    if (i < run->racy.size()) __atomic_store_n(&run->racy[i], 1, __ATOMIC_RELAXED);
  return true;
}

// Steps of the schedule: one for each operation, but kAllKnow has each thread in turn, twice.
unsigned steps_of(const Op& op) {
  return op.kind == Op::kAllKnow ? 2 * kThreads : 1;
}

void perform(const Op& op) {
  const PlaceOfAccess& place = places[op.place];
  pthread_mutex_t* lock = &run->locks[op.lock];
  unsigned char* block = run->memory.data();
  switch (op.kind) {
    case Op::kSweep:
      for (long i = 0; i < op.repeats; ++i) place.sweep(block, op.begin, op.step, op.count);
      break;
    case Op::kScatter:
      for (long i = 0; i < op.count; ++i) place.sweep(block, op.offset(i), 1, 1);
      break;
    case Op::kEpochs:
      for (long i = 0; i < op.count; ++i) {
        pthread_mutex_lock(lock);
        place.sweep(block, op.offset(i), 1, 1);
        pthread_mutex_unlock(lock);
      }
      break;
    case Op::kLock:
      pthread_mutex_lock(lock);
      break;
    case Op::kUnlock:
      pthread_mutex_unlock(lock);
      break;
    case Op::kAllKnow:
      pthread_mutex_lock(lock);
      pthread_mutex_unlock(lock);
      break;
    case Op::kRenew:
      run->memory.renew();
      break;
    case Op::kRemap:
      run->memory.remap(static_cast<Remapping>(op.place), op.begin, op.count);
      break;
  }
}

void wait_for_turn(unsigned step) {
  for (unsigned now; (now = run->turn) != step;) run->turn.wait(now);
}

void* thread_body(void* argument) {
  const int me = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
  unsigned step = 0;
  for (const Op& op : run->trace.ops) {
    for (unsigned i = 0; i < steps_of(op); ++i, ++step) {
      const int who = op.kind == Op::kAllKnow ? static_cast<int>(i % kThreads) : op.thread;
      if (who != me) continue;
      wait_for_turn(step);
      perform(op);
      run->turn = step + 1;
      run->turn.notify_all();
    }
  }
  // Everybody has come so far before anybody leaves: a thread that ends is not forgotten about.
  wait_for_turn(step);
  return nullptr;
}

std::set<std::uintptr_t> found(const Trace& trace) {
  const auto bytes = static_cast<std::size_t>(trace.bytes);
  Run now{trace, {trace.memory, trace.bytes}, 0, {}, {}};
  for (pthread_mutex_t& lock : now.locks) pthread_mutex_init(&lock, nullptr);
  now.racy.resize(bytes);
  run = &now;
  pthread_t threads[kThreads];
  for (std::intptr_t t = 0; t < kThreads; ++t)
    pthread_create(&threads[t], nullptr, thread_body, reinterpret_cast<void*>(t));
  for (pthread_t t : threads) pthread_join(t, nullptr);
  std::set<std::uintptr_t> racy;
  for (std::size_t i = 0; i < bytes; ++i)
    if (now.racy[i] != 0) racy.insert(i);
  return racy;
}

// Leaves out what is not needed for the difference. What an unlock belongs to goes with it.
Trace shrink(Trace trace) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = trace.ops.size(); i-- > 0;) {
      Trace without = trace;
      const Op op = without.ops[i];
      if (op.kind == Op::kUnlock) continue;
      without.ops.erase(without.ops.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::size_t k = i; op.kind == Op::kLock && k < without.ops.size(); ++k) {
        if (without.ops[k].kind != Op::kUnlock || without.ops[k].lock != op.lock) continue;
        without.ops.erase(without.ops.begin() + static_cast<std::ptrdiff_t>(k));
        break;
      }
      if (expected(without) == found(without)) continue;
      trace = without;
      smaller = true;
    }
  }
  return trace;
}

void print(const char* title, const std::set<std::uintptr_t>& bytes) {
  std::printf("%s:", title);
  for (auto i = bytes.begin(); i != bytes.end();) {
    const std::uintptr_t first = *i;
    std::uintptr_t last = first;
    while (++i != bytes.end() && *i == last + 1) last = *i;
    std::printf(" %zu..%zu", first, last);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  bigfoot::rt::set_race_listener(note_race, /*stops=*/false);
  std::uint64_t racy = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Trace trace = Generator(seed).trace();
    const auto wanted = expected(trace);
    racy += wanted.empty() ? 0 : 1;
    if (found(trace) == wanted) continue;
    const Trace smallest = shrink(trace);
    std::printf("FAIL seed %llu\n%s", static_cast<unsigned long long>(seed),
                to_text(smallest).c_str());
    print("expected", expected(smallest));
    print("found   ", found(smallest));
    return 1;
  }
  std::printf("%llu traces from seed %llu on, %llu of them racy\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(racy));
  // A campaign without races, or with nothing else, would show little.
  return racy > count / 10 && racy < count ? 0 : 1;
}
