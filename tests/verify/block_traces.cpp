// Random traces of threads that share four heap blocks, which are freed and handed out again all
// the time, on the real run time and on the naive model (tests/model/last_accesses.h).
//
//   block_traces small|large at-once|later FIRST COUNT
//
// The bytes that race must be told, those and no others, each in the step in which it races first;
// where arrays put checks off it may be later. Where array_traces.cpp is about arrays, this is
// about what threads remember of an epoch: bytes, words and ranges that are settled, in memory that
// may have been somebody else's a moment ago. So threads do several things in a row, at places near
// each other. This file is built without instrumentation: its schedule, which is the trace, orders
// nothing that the detector could see.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "block_places.h"
#include "runtime/context/on_race.h"
#include "tests/model/last_accesses.h"
#include "traced_memory.h"
extern "C" {
#include "turns.h"
}

namespace {

constexpr int kThreads = 3, kLocks = 3, kBlocks = 4, kSteps = 200;
constexpr int kNever = -1;  // of a step

struct Sizes {
  const char* name;
  long bytes[kBlocks];
};
// Too small for arrays, and on both sides of where the run time takes blocks for arrays.
constexpr Sizes kSizes[] = {{"small", {64, 200, 512, 100}}, {"large", {1200, 3000, 9000, 200}}};

// From one malloc to its free. What is told of it is not to be mixed up with what is told of the
// next one at the same address: its bytes have numbers of their own, from `first` on.
struct Life {
  int block;
  int begin, end;  // the first and the last step in which it is there
  long first, bytes;
};

struct Op {
  enum Kind {
    kSingle,
    kHot,
    kDense,
    kStrided,
    kCopy,  // `count` bytes from another block
    kFill,  // `count` bytes
    kReadFields,
    kWriteFields,
    kSection,  // a critical section, empty
    kRenew,    // the block is freed, and another one of its size takes its place
  } kind = kSection;
  int thread = 0;
  int life = 0;
  const PlaceOfAccess* place = nullptr;
  long begin = 0, step = 0, count = 0;
  int source = 0;  // a life
  long source_begin = 0;
  int lock = 0;
};
const char* const kNames[] = {"single", "hot",         "dense",        "strided", "copy",
                              "fill",   "read-fields", "write-fields", "section", "renew"};
const char* const kDoes[] = {"read", "write", "update"};

struct Trace {
  std::vector<Op> ops;  // a step each
  std::vector<Life> lives;

  long bytes() const { return lives.back().first + lives.back().bytes; }  // of all lives
};

std::string to_text(const Trace& trace, int step) {
  const Op& op = trace.ops[static_cast<std::size_t>(step)];
  char line[200];
  int n = std::snprintf(line, sizeof line, "%3d: T%d %s", step, op.thread, kNames[op.kind]);
  auto add = [&](const char* format, auto... values) {
    n += std::snprintf(line + n, sizeof line - static_cast<std::size_t>(n), format, values...);
  };
  if (op.kind == Op::kSection) {
    add(" of lock %d", op.lock);
    return line;
  }
  add(", block %d", trace.lives[op.life].block);
  if (op.place != nullptr)
    add(": %s of %d bytes, %ld times from %ld by %ld", kDoes[static_cast<int>(op.place->does)],
        op.place->width, op.count, op.begin, op.step);
  else if (op.kind != Op::kRenew)
    add(": %ld bytes from %ld", op.count, op.begin);
  if (op.kind == Op::kCopy)
    add(", from block %d at %ld", trace.lives[op.source].block, op.source_begin);
  return line;
}

// --- making traces

class Generator {
 public:
  Generator(std::uint64_t seed, const Sizes& sizes) : random_(seed) {
    for (int block = 0; block < kBlocks; ++block) begin_life(block, sizes.bytes[block], 0);
  }

  Trace trace() {
    int thread = 0, left = 0;
    for (int step = 0; step < kSteps; ++step, --left) {
      if (left == 0) {
        thread = static_cast<int>(below(kThreads));
        left = 1 + static_cast<int>(below(6));
      }
      std::optional<Op> op;
      while (!op) op = some();
      op->thread = thread;
      trace_.ops.push_back(*op);
      if (op->kind == Op::kRenew) end_life(op->life, step);
    }
    return trace_;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  long some_of(long n) { return static_cast<long>(below(static_cast<std::size_t>(n))); }

  void begin_life(int block, long bytes, int step) {
    const long first = trace_.lives.empty() ? 0 : trace_.bytes();
    now_[block] = static_cast<int>(trace_.lives.size());
    trace_.lives.push_back({block, step, kSteps - 1, first, bytes});
  }
  void end_life(int life, int step) {
    trace_.lives[life].end = step;
    begin_life(trace_.lives[life].block, trace_.lives[life].bytes, step + 1);
  }

  // None, where what was chosen does not fit.
  std::optional<Op> some() {
    Op op;
    op.life = now_[below(kBlocks)];
    const std::size_t what = below(34);
    if (what < 12) return on_elements(op, Op::kSingle, single_places[below(kSinglePlaces)]);
    if (what < 16) return on_elements(op, Op::kHot, hot_places[below(kHotPlaces)]);
    if (what < 20) return on_elements(op, Op::kStrided, places[below(kPlaces)]);
    if (what < 24) return on_elements(op, Op::kDense, dense_places[below(kDensePlaces)]);
    if (what < 25) return on_bytes(op, Op::kCopy, 40);
    if (what < 26) return on_bytes(op, Op::kFill, 70);
    if (what < 28) return on_fields(op);
    if (what >= 32) {
      op.kind = Op::kRenew;
      return op;
    }
    op.lock = static_cast<int>(below(kLocks));
    return op;
  }

  // An offset such that `bytes` fit: half of them where most of the others are.
  std::optional<long> some_offset(long of, long bytes, long alignment) {
    if (of < bytes) return std::nullopt;
    long at = some_of(of - bytes + 1) / alignment * alignment;
    if (below(2) == 0) at %= 128;
    return at;
  }

  std::optional<Op> on_elements(Op op, Op::Kind kind, const PlaceOfAccess& place) {
    const long bytes = trace_.lives[op.life].bytes, natural = place.width > 8 ? 8 : place.width;
    const std::optional<long> begin = some_offset(bytes, place.width, natural);
    if (!begin) return std::nullopt;
    op.kind = kind;
    op.place = &place;
    op.begin = *begin;
    op.step = kind == Op::kDense || kind == Op::kSingle ? place.width : natural * (1 + some_of(4));
    op.count = kind == Op::kSingle ? 1 : 1 + some_of((bytes - *begin - place.width) / op.step + 1);
    if (op.count > 12 && below(2) == 0) op.count = 12;
    return op;
  }

  std::optional<Op> on_bytes(Op op, Op::Kind kind, long most) {
    op.kind = kind;
    op.count = 1 + some_of(most);
    const std::optional<long> begin = some_offset(trace_.lives[op.life].bytes, op.count, 1);
    if (!begin) return std::nullopt;
    op.begin = *begin;
    if (kind == Op::kFill) return op;
    op.source = now_[below(kBlocks)];
    const std::optional<long> from = some_offset(trace_.lives[op.source].bytes, op.count, 1);
    if (!from || op.source == op.life) return std::nullopt;  // memcpy forbids that they overlap
    op.source_begin = *from;
    return op;
  }

  std::optional<Op> on_fields(Op op) {
    op.kind = below(2) == 0 ? Op::kReadFields : Op::kWriteFields;
    op.count = sizeof(MixedFields);
    const std::optional<long> begin =
        some_offset(trace_.lives[op.life].bytes, op.count, alignof(MixedFields));
    if (!begin) return std::nullopt;
    op.begin = *begin;
    return op;
  }

  std::mt19937_64 random_;
  Trace trace_;
  int now_[kBlocks] = {};  // the life of each
};

// --- the model

// Calls accesses(life, first, bytes, does) for what it accesses, in order.
template <class F>
void for_each_access(const Trace& trace, const Op& op, F&& accesses) {
  switch (op.kind) {
    case Op::kSingle:
    case Op::kHot:
    case Op::kDense:
    case Op::kStrided:
      for (long i = 0; i < op.count; ++i)
        accesses(op.life, op.begin + i * op.step, op.place->width, op.place->does);
      break;
    case Op::kCopy:
      accesses(op.source, op.source_begin, op.count, Does::kRead);
      accesses(op.life, op.begin, op.count, Does::kWrite);
      break;
    case Op::kFill:
      accesses(op.life, op.begin, op.count, Does::kWrite);
      break;
    case Op::kReadFields:
    case Op::kWriteFields:
      for (const FieldOfMixed& field : kMixedFields)
        accesses(op.life, op.begin + static_cast<long>(field.offset),
                 static_cast<long>(field.bytes),
                 op.kind == Op::kReadFields ? Does::kRead : Does::kWrite);
      break;
    case Op::kSection:
      break;
    case Op::kRenew:
      // A free counts as a write.
      accesses(op.life, 0, trace.lives[op.life].bytes, Does::kWrite);
      break;
  }
}

// For each byte of each life a step.
using Steps = std::vector<int>;

class Oracle {
 public:
  explicit Oracle(const Trace& trace)
      : trace_(trace),
        races_(static_cast<std::size_t>(trace.bytes()), kNever),
        model_(place(kBlocks - 1, trace.lives[kBlocks - 1].bytes), kThreads, kLocks) {}

  // Those in which they race first.
  Steps races() {
    for (int step = 0; step < kSteps; ++step) perform(step);
    return races_;
  }

 private:
  // In the model, which knows one life of each block at a time: where the first one's bytes are.
  std::size_t place(int block, long i) const {
    return static_cast<std::size_t>(trace_.lives[block].first + i);
  }

  bool access(int thread, std::size_t place, Does does) {
    const bool read_races = does != Does::kWrite && model_.access(thread, place, false);
    const bool write_races = does != Does::kRead && model_.access(thread, place, true);
    return read_races || write_races;
  }

  void perform(int step) {
    const Op& op = trace_.ops[static_cast<std::size_t>(step)];
    for_each_access(trace_, op, [&](int number, long begin, long bytes, Does does) {
      const Life& life = trace_.lives[number];
      for (long i = begin; i < begin + bytes; ++i) {
        int& first = races_[static_cast<std::size_t>(life.first + i)];
        if (access(op.thread, place(life.block, i), does) && first == kNever) first = step;
      }
    });
    if (op.kind == Op::kSection) {
      model_.acquire(op.thread, op.lock);
      model_.release(op.thread, op.lock);
    }
    if (op.kind == Op::kRenew) clear(trace_.lives[op.life]);
  }
  void clear(const Life& life) {
    for (long i = 0; i < life.bytes; ++i) model_.clear(place(life.block, i));
  }

  const Trace& trace_;
  Steps races_;
  bigfoot::model::LastAccesses model_;
};

// --- the real thing

struct Run {
  const Trace& trace;
  Steps told;              // the first in which a byte is
  int elsewhere = kNever;  // the last in which a race was told that is in no block
  int step = 0;
  long handed_out_again = 0;
  std::unique_ptr<TracedMemory> memory[kBlocks] = {};
  int lives[kBlocks] = {};
  pthread_mutex_t locks[kLocks] = {};
};
Run* run = nullptr;

// In the place of reports. Threads that end at the same time may be told at the same time.
bool note_race(const bigfoot::rt::report::Race& race) {
  const int step = __atomic_load_n(&run->step, __ATOMIC_RELAXED);
  bool inside = false;
  for (int block = 0; block < kBlocks; ++block) {
    const Life& life = run->trace.lives[run->lives[block]];
    const std::uintptr_t first =
        race.overlap.begin - reinterpret_cast<std::uintptr_t>(run->memory[block]->data());
    for (std::uintptr_t i = first; i != first + race.overlap.size; ++i) {
      if (i >= static_cast<std::uintptr_t>(life.bytes)) continue;
      inside = true;
      int never = kNever;
      __atomic_compare_exchange_n(&run->told[static_cast<std::size_t>(life.first) + i], &never,
                                  step, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
  }
  if (!inside) __atomic_store_n(&run->elsewhere, step, __ATOMIC_RELAXED);
  return true;
}

void renew(const Life& life) {
  TracedMemory& memory = *run->memory[life.block];
  const unsigned char* before = memory.data();
  memory.renew();  // what is told now is still of the old one
  run->handed_out_again += memory.data() == before ? 1 : 0;
  int next = run->lives[life.block] + 1;
  while (run->trace.lives[next].block != life.block) ++next;
  run->lives[life.block] = next;
}

void perform(const Op& op) {
  const Life& life = run->trace.lives[op.life];
  unsigned char* block = run->memory[life.block]->data();
  switch (op.kind) {
    case Op::kSingle:
    case Op::kHot:
    case Op::kDense:
    case Op::kStrided:
      op.place->sweep(block, op.begin, op.step, op.count);
      break;
    case Op::kCopy: {
      const unsigned char* from = run->memory[run->trace.lives[op.source].block]->data();
      copy_bytes(block + op.begin, from + op.source_begin, op.count);
      break;
    }
    case Op::kFill:
      fill_bytes(block + op.begin, op.count);
      break;
    case Op::kReadFields:
      read_fields(block + op.begin);
      break;
    case Op::kWriteFields:
      write_fields(block + op.begin);
      break;
    case Op::kSection:
      pthread_mutex_lock(&run->locks[op.lock]);
      pthread_mutex_unlock(&run->locks[op.lock]);
      break;
    case Op::kRenew:
      renew(life);
      break;
  }
}

void* thread_body(void* argument) {
  const int me = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
  for (int step = 0; step < kSteps; ++step) {
    const Op& op = run->trace.ops[static_cast<std::size_t>(step)];
    if (op.thread != me) continue;
    turn_begin(step);
    __atomic_store_n(&run->step, step, __ATOMIC_RELAXED);
    perform(op);
    turn_end();
  }
  // Everybody has come so far before anybody leaves: a thread that ends is not forgotten about.
  turn_begin(kSteps);
  return nullptr;
}

void execute(Run& now) {
  for (int block = 0; block < kBlocks; ++block) {
    now.lives[block] = block;
    now.memory[block] =
        std::make_unique<TracedMemory>(MemoryKind::kHeap, now.trace.lives[block].bytes);
  }
  for (pthread_mutex_t& lock : now.locks) pthread_mutex_init(&lock, nullptr);
  run = &now;
  turns_start_over();
  pthread_t threads[kThreads];
  for (std::intptr_t t = 0; t < kThreads; ++t)
    pthread_create(&threads[t], nullptr, thread_body, reinterpret_cast<void*>(t));
  for (pthread_t t : threads) pthread_join(t, nullptr);
}

// --- what differs

// When a race must be told: in the step of the access, or, where an array puts checks off until the
// thread synchronises, any time later.
enum class When { kAtOnce, kLater };

// Null: nothing is.
const char* wrong_with(int race, int told, When when) {
  if (race == told) return nullptr;
  if (told == kNever) return "race and are not told";
  if (race == kNever) return "are told and do not race";
  if (told < race) return "are told before they race";
  return when == When::kAtOnce ? "are told later than they race" : nullptr;
}

// Neighbours, all in the same way.
struct Difference {
  int life;
  long begin, bytes;
  int step;
  const char* what;
};

std::vector<Difference> differences(const Trace& trace, const Steps& races, const Steps& told,
                                    When when) {
  std::vector<Difference> all;
  for (int life = 0; life < static_cast<int>(trace.lives.size()); ++life) {
    for (long i = 0; i < trace.lives[life].bytes; ++i) {
      const auto at = static_cast<std::size_t>(trace.lives[life].first + i);
      const char* what = wrong_with(races[at], told[at], when);
      if (what == nullptr) continue;
      const int step = races[at] != kNever ? races[at] : told[at];
      Difference* last = all.empty() ? nullptr : &all.back();
      if (last != nullptr && last->life == life && last->begin + last->bytes == i &&
          last->step == step && last->what == what)
        ++last->bytes;
      else
        all.push_back({life, i, 1, step, what});
    }
  }
  return all;
}

int life_before(const Trace& trace, int life) {
  for (int before = life - 1; before >= 0; --before)
    if (trace.lives[before].block == trace.lives[life].block) return before;
  return life;
}

// With all that has to do with it: the sections, and what was done to these bytes, also in the life
// before, of which something may have been remembered.
void print(const Trace& trace, const Difference& d) {
  const Life& life = trace.lives[d.life];
  const int before = life_before(trace, d.life);
  std::printf("block %d, %ld bytes, there in steps %d to %d: bytes %ld to %ld %s in\n  %s\nafter\n",
              life.block, life.bytes, life.begin, life.end, d.begin, d.begin + d.bytes - 1, d.what,
              to_text(trace, d.step).c_str());
  for (int step = trace.lives[before].begin; step < d.step; ++step) {
    const Op& op = trace.ops[static_cast<std::size_t>(step)];
    bool matters = op.kind == Op::kSection;
    for_each_access(trace, op, [&](int in, long begin, long bytes, Does) {
      if ((in == d.life || in == before) && begin < d.begin + d.bytes && d.begin < begin + bytes)
        matters = true;
    });
    if (matters) std::printf("  %s\n", to_text(trace, step).c_str());
  }
}

struct Totals {
  unsigned long long failed = 0, racy_bytes = 0, bytes = 0, handed_out_again = 0;
};

// False: it differs from the model, and how is printed.
bool agrees(std::uint64_t seed, const Sizes& sizes, When when, Totals& totals) {
  const Trace trace = Generator(seed, sizes).trace();
  const Steps races = Oracle(trace).races();
  Run now{trace, Steps(races.size(), kNever)};
  execute(now);
  for (const int step : races) totals.racy_bytes += step == kNever ? 0 : 1;
  totals.bytes += races.size();
  totals.handed_out_again += static_cast<unsigned long long>(now.handed_out_again);
  const std::vector<Difference> all = differences(trace, races, now.told, when);
  if (all.empty() && now.elsewhere == kNever) return true;
  std::printf("FAIL seed %llu in %zu places, the first:\n", static_cast<unsigned long long>(seed),
              all.size());
  if (now.elsewhere != kNever)
    std::printf("a race in none of the blocks is told in\n  %s\n",
                to_text(trace, now.elsewhere).c_str());
  if (!all.empty()) print(trace, all.front());
  return false;
}

const Sizes* sizes_named(const char* name) {
  for (const Sizes& sizes : kSizes)
    if (std::strcmp(sizes.name, name) == 0) return &sizes;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const Sizes* sizes = argc > 2 ? sizes_named(argv[1]) : nullptr;
  const bool later = argc > 2 && std::strcmp(argv[2], "later") == 0;
  if (sizes == nullptr || (!later && std::strcmp(argv[2], "at-once") != 0)) {
    std::fprintf(stderr, "block_traces small|large at-once|later FIRST COUNT\n");
    return 2;
  }
  const unsigned long long first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  const unsigned long long count = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 100;
  bigfoot::rt::set_race_listener(note_race, /*stops=*/false);
  const char* options = std::getenv("BIGFOOT_OPTIONS");
  Totals totals;
  for (unsigned long long seed = first; seed < first + count; ++seed) {
    if (agrees(seed, *sizes, later ? When::kLater : When::kAtOnce, totals)) continue;
    ++totals.failed;
    // Earlier traces have left histories in memory that this one gets, so one that fails here may
    // pass alone.
    std::printf("alone: BIGFOOT_OPTIONS='%s' %s %s %s %llu 1; with those before: %llu %llu\n",
                options != nullptr ? options : "", argv[0], sizes->name, argv[2], seed, first,
                seed - first + 1);
  }
  std::printf(
      "%llu traces from seed %llu on, %llu differ; "
      "%llu of %llu bytes race, %llu blocks were handed out again at once\n",
      count, first, totals.failed, totals.racy_bytes, totals.bytes, totals.handed_out_again);
  // A campaign without races, with nothing else, or always in fresh memory would show little.
  const bool mixed =
      totals.racy_bytes > totals.bytes / 50 && totals.racy_bytes < totals.bytes / 10 * 9;
  const bool shows_little = count >= 10 && !(mixed && totals.handed_out_again >= count);
  if (shows_little) std::printf("such traces show little\n");
  return totals.failed == 0 && !shows_little ? 0 : 1;
}
