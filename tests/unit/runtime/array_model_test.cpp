// The conformance suite of the array forms: random programs whose threads divide an array in random
// ways, on every form and on a naive model that keeps the last accesses of every thread to every
// byte. Footprints are committed when their thread synchronises, as in the run time. No difference
// is allowed in the bytes that race.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>

#include "runtime/array/common_past.h"

#include "tests/model/last_accesses.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

constexpr int kThreads = 4;
constexpr int kLocks = 2;

Tables& tables() {
  static Tables t;
  return t;
}

struct Op {
  enum Kind { kRead, kWrite, kAcquire, kRelease, kClear, kForget, kCopy, kMove } kind;
  int thread;
  Footprint f;  // offsets
  int lock = 0;
  usize to = 0;  // where the bytes of `f` are copied or moved to
};

std::string to_text(const std::vector<Op>& ops) {
  static constexpr const char* kNames[] = {"read",  "write",  "acquire", "release",
                                           "clear", "forget", "copy",    "move"};
  std::ostringstream out;
  for (const Op& op : ops) {
    out << "T" << op.thread << " " << kNames[op.kind];
    if (op.kind == Op::kAcquire || op.kind == Op::kRelease)
      out << " " << op.lock << "\n";
    else
      out << " <" << op.f.begin << " : " << op.f.last << " : " << op.f.step << "> of " << op.f.width
          << (op.kind >= Op::kCopy ? " to " + std::to_string(op.to) : "") << "\n";
  }
  return out.str();
}

void step(model::LastAccesses& model, const Op& op) {
  switch (op.kind) {
    case Op::kAcquire:
      return model.acquire(op.thread, op.lock);
    case Op::kRelease:
      return model.release(op.thread, op.lock);
    case Op::kForget:
      return;
    case Op::kCopy:
      return model.copy(op.f.begin, op.to, op.f.width);
    case Op::kMove:
      return model.move(op.f.begin, op.to, op.f.width);
    case Op::kClear:
    case Op::kRead:
    case Op::kWrite:
      for (usize i = 0; i < op.f.count(); ++i)
        for (usize k = 0; k < op.f.width; ++k) {
          const usize byte = op.f.begin + i * op.f.step + k;
          if (op.kind == Op::kClear)
            model.clear(byte);
          else
            model.access(op.thread, byte, op.kind == Op::kWrite);
        }
  }
}

// What the array's shadow finds.
class Subject {
 public:
  Subject(usize bytes, ArrayForms forms, uptr base) : base_(base) {
    clear_history({base, bytes + 8}, nullptr, nullptr);
    array_.start({base, bytes}, forms);
    start_.assign(tables().ended);
    for (int t = 0; t < kThreads; ++t)
      threads_[t] = std::make_unique<ScriptedThread>(tables(), start_, t);
  }
  ~Subject() { array_.release_storage(); }

  void step(const Op& op) {
    if (op.kind == Op::kRead || op.kind == Op::kWrite) {
      pending_[op.thread].push_back(op);
      return;
    }
    if (op.kind == Op::kClear) {  // whoever ends memory first commits what is known of it
      for (int t = 0; t < kThreads; ++t) commit(t);
      array_.clear(op.f.begin, op.f.end());
      clear_history({base_ + op.f.begin, op.f.end() - op.f.begin}, nullptr, nullptr);
      return;
    }
    if (op.kind == Op::kForget) return forget();
    if (op.kind == Op::kCopy || op.kind == Op::kMove) return transfer(op);
    commit(op.thread);
    if (op.kind == Op::kAcquire)
      threads_[op.thread]->acquire(locks_[op.lock]);
    else
      threads_[op.thread]->release(locks_[op.lock]);
  }
  std::set<uptr> racy() {
    for (int t = 0; t < kThreads; ++t) commit(t);
    return racy_;
  }
  ArrayMode mode() const { return array_.mode(); }

 private:
  // What all threads know does not matter, whatever they have not committed yet.
  void forget() {
    CommonPast past;
    past.start(tables().slots.count());
    for (const auto& t : threads_) past.add(t->knows(), t->slot());
    array_.forget([&](const Cell& c) { return past.contains(c, tables().stamps, tables().sets); });
    past.release_storage();
    BF_CHECK(array_.valid());
  }
  void transfer(const Op& op) {
    for (int t = 0; t < kThreads; ++t) commit(t);
    Segments part{};
    const usize begin = op.f.begin, bytes = op.f.width;
    if (array_.copy(begin, begin + bytes, op.to, part)) {
      if (op.kind == Op::kMove) {
        array_.clear(begin, begin + bytes);
        if (array_.fine()) clear_history({base_ + begin, bytes}, nullptr, nullptr);
      }
      array_.replace(part);
      BF_CHECK(array_.valid());
      return;
    }
    array_.make_fine();
    (op.kind == Op::kMove ? move_history : copy_history)(base_ + begin, base_ + op.to, bytes,
                                                         kNoObjects);
  }
  void commit(int thread) {
    for (const Op& op : pending_[thread]) {
      const Footprint f{op.f.begin + base_, op.f.last + base_, op.f.step, op.f.width};
      for (uptr a : threads_[thread]->commit(array_, f, op.kind == Op::kWrite))
        racy_.insert(a - base_);
    }
    pending_[thread].clear();
  }
  const uptr base_;
  ArrayShadow array_{};
  VectorClock start_, locks_[kLocks];
  std::unique_ptr<ScriptedThread> threads_[kThreads];
  std::vector<Op> pending_[kThreads];
  std::set<uptr> racy_;
};

// How the threads of one random program use the array.
struct Habits {
  usize bytes;
  usize width;   // of most accesses
  usize period;  // of structs
  usize cut;     // an element at which the program likes to divide the array
  int pattern;
  bool tidy;  // follows its pattern strictly
};
constexpr int kPatterns = 9;

class Generator {
 public:
  explicit Generator(u64 seed) : random_(seed) {}
  u64 below(u64 n) { return random_() % n; }

  Habits habits() {
    const usize width = usize{1} << below(4);
    const usize elements = (1 + below(12)) * 16;
    const bool tidy = below(3) != 0;
    return {elements * width + (tidy ? 0 : below(2) * below(width)),
            width,
            width * (2 + below(4)),
            1 + below(elements - 1),
            static_cast<int>(below(kPatterns)),
            tidy};
  }

  std::vector<Op> program(const Habits& h) {
    std::vector<Op> ops;
    bool held[kThreads] = {};
    for (usize i = 0, n = 10 + below(30); i < n; ++i) {
      const int t = static_cast<int>(below(kThreads));
      const u64 what = below(10);
      if (what < 4) {
        // In pairs, so that most accesses are ordered and histories grow long.
        ops.push_back(
            {held[t] ? Op::kRelease : Op::kAcquire, t, {}, static_cast<int>(below(kLocks))});
        held[t] = !held[t];
      } else if (const u64 rare = below(60); rare == 0) {
        ops.push_back({Op::kClear, t, range(h, below(h.bytes), 1 + below(h.bytes))});
      } else if (rare < 4) {
        ops.push_back({Op::kForget, t, {}});
      } else if (rare < 6) {
        ops.push_back(transfer(h, rare == 4 ? Op::kCopy : Op::kMove, t));
      } else {
        ops.push_back({what < 7 ? Op::kRead : Op::kWrite, t, footprint(h, t)});
      }
    }
    return ops;
  }

 private:
  static Footprint range(const Habits& h, usize begin, usize bytes) {
    if (begin + bytes > h.bytes) bytes = h.bytes - begin;
    return Footprint::one(begin, bytes);
  }
  Op transfer(const Habits& h, Op::Kind kind, int t) {
    usize bytes = 1 + below(h.bytes);
    if (below(2) == 0) bytes = (bytes + h.width - 1) / h.width * h.width;
    if (bytes > h.bytes) bytes = h.bytes;
    const usize room = h.bytes - bytes + 1;
    return {kind, t, range(h, below(room), bytes), 0, below(room)};
  }
  static Footprint elements(const Habits& h, usize first, usize end, usize step, usize width) {
    if (width > h.bytes) width = h.bytes;
    if (first + width > h.bytes) first = h.bytes - width;
    if (end + width > h.bytes + 1) end = h.bytes - width + 1;
    if (end <= first) end = first + 1;
    return Footprint::run(first, end, step, width);
  }

  Footprint footprint(const Habits& h, int t) {
    const usize n = h.bytes / h.width, w = h.width;
    const auto thread = static_cast<usize>(t);
    if (!h.tidy && below(12) == 0)  // anything, crooked too
      return elements(h, below(h.bytes), below(h.bytes), 1 + below(16), 1 + below(8));
    const usize cut = h.tidy || below(2) == 0 ? h.cut : below(n);
    switch (!h.tidy && below(6) == 0 ? static_cast<int>(below(kPatterns)) : h.pattern) {
      case 0:  // all of it
        return elements(h, 0, n * w, w, w);
      case 1:  // a block for each thread, sometimes with the neighbours' edges
        return elements(h, n * thread / kThreads * w,
                        (n * (thread + 1) / kThreads + (h.tidy ? 0 : below(2))) * w, w, w);
      case 2:  // dealt out
        return elements(h, thread * w, n * w, kThreads * w, w);
      case 3:  // a first part
        return elements(h, 0, cut * w, w, w);
      case 4:  // a last part
        return elements(h, cut * w, n * w, w, w);
      case 5: {  // a field of structs, of all or of the thread's own
        const usize field = below(h.period / w) * w;
        const bool own = below(2) == 0;
        const usize from = own ? h.bytes * thread / kThreads / h.period * h.period : 0;
        const usize to = own ? h.bytes * (thread + 1) / kThreads / h.period * h.period : h.bytes;
        return elements(h, from + field, to, h.period, w);
      }
      case 6:  // one element
        return elements(h, below(n) * w, 0, w, w);
      case 7:  // something near the beginning
        return elements(h, below(n / 8) * w, below(n / 4) * w, w, w);
      default:  // some neighbours
        return elements(h, below(n) * w, below(n) * w, w, w);
    }
  }
  std::mt19937_64 random_;
};

uptr base_for(ArrayForms forms) {
  return forms == ArrayForms::kTable ? 0x50000000 : 0x58000000;
}

struct Result {
  bool differs;
  ArrayMode mode;
};
Result run(const Habits& h, const std::vector<Op>& ops, ArrayForms forms) {
  model::LastAccesses model(h.bytes, kThreads, kLocks);
  Subject subject(h.bytes, forms, base_for(forms));
  for (const Op& op : ops) {
    step(model, op);
    subject.step(op);
  }
  std::set<uptr> racy = subject.racy();
  std::erase_if(racy, [&](uptr byte) { return model.open(byte); });
  const bool differs = racy != model.racy();
  return {differs, subject.mode()};
}

// Leaves out what is not needed for the difference.
std::vector<Op> shrink(const Habits& h, std::vector<Op> ops, ArrayForms forms) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (usize i = ops.size(); i-- > 0;) {
      std::vector<Op> without = ops;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (!run(h, without, forms).differs) continue;
      ops = without;
      smaller = true;
    }
  }
  return ops;
}

void compare(ArrayForms forms, const char* name) {
  u64 seed = 20240302;
  if (const char* s = std::getenv("BIGFOOT_TEST_SEED")) seed = std::strtoull(s, nullptr, 10);
  Generator generate(seed);
  u64 accesses = 0, modes[kArrayModeCount] = {};
  for (int i = 0; accesses < 1'000'000; ++i) {
    const Habits h = generate.habits();
    const std::vector<Op> ops = generate.program(h);
    for (const Op& op : ops) accesses += op.f.empty() ? 0 : op.f.count();
    const Result r = run(h, ops, forms);
    ++modes[static_cast<usize>(r.mode)];
    if (!r.differs) continue;
    FAIL() << name << ", seed " << seed << " (BIGFOOT_TEST_SEED), program " << i << ", " << h.bytes
           << " bytes\n"
           << to_text(shrink(h, ops, forms));
  }
  std::cout << name << ": " << accesses << " accesses, seed " << seed << "; final modes";
  for (u64 m : modes) std::cout << " " << m;
  std::cout << "\n";
  // The suite says something about a form only if programs end in it.
  const bool table = forms == ArrayForms::kTable;
  for (usize m = 0; m < kArrayModeCount; ++m) {
    const auto mode = static_cast<ArrayMode>(m);
    const bool expected = mode == ArrayMode::kCoarse || mode == ArrayMode::kFine ||
                          (mode == ArrayMode::kSegments) != table;
    if (expected) EXPECT_GT(modes[m], 20u) << "mode " << m;
  }
}

TEST(ArrayModel, Segments) {
  compare(ArrayForms::kSegments, "segments");
}
TEST(ArrayModel, TableOne) {
  compare(ArrayForms::kTable, "Table I");
}

}  // namespace
}  // namespace bigfoot::rt::testing
