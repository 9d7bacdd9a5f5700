// parity: what a check costs, by the access and by the state of the memory that it meets.
//
//   parity list              cells: number, row, column, steps of a timed and of a counted pass,
//   and, if
//                            this build can not do the cell, why (0 steps: only timed)
//   parity time RUNS CELL... for each cell the least and the median time of a step, in nanoseconds;
//   of contended
//                            cells the median twice, and no line if no pass was contended
//   parity count CELL...     marks two passes of each cell, of two lengths, for
//   harness/step_count.c, which counts
//
// Built three times: plain, and with each detector. What a detector adds is the difference. Every
// access is made in a loop of its own (accesses.h), in each state of the memory (states.h). Rows of
// other operations have columns of their own: alone, and while another thread does the same with
// the same object.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "accesses.h"
#include "helpers.h"
#include "operations.h"
#include "states.h"

// There is one only in ThreadSanitizer's run time; BigFoot's compiler has the same feature test.
extern "C" [[gnu::weak]] void __tsan_read8(void*);

namespace parity {
namespace {

bool is_tsan() {
  return &__tsan_read8 != nullptr;
}

template <Kind kKind>
void add_kind(Rows& rows) {
  using U1 = std::uint8_t;
  using U2 = std::uint16_t;
  using U4 = std::uint32_t;
  using U8 = std::uint64_t;
  using V = Bytes16;
  const auto name = [](const char* rest) { return name_of(kKind, rest); };
  add<One<U1, kKind>>(rows, name("1"));
  add<One<U2, kKind>>(rows, name("2"));
  add<One<U4, kKind>>(rows, name("4"));
  add<One<U8, kKind>>(rows, name("8"));
  add<One<V, kKind>>(rows, name("16"));
  add<One<U1, kKind, 0, 1, true>>(rows, name("1-called"));
  add<One<U2, kKind, 0, 2, true>>(rows, name("2-called"));
  add<One<U4, kKind, 0, 4, true>>(rows, name("4-called"));
  add<One<U8, kKind, 0, 8, true>>(rows, name("8-called"));
  add<One<U2, kKind, 1, 8>>(rows, name("2-unaligned"));
  add<One<U4, kKind, 2, 8>>(rows, name("4-unaligned"));
  add<One<U2, kKind, 7, 16>>(rows, name("2-across-words"));
  add<One<U4, kKind, 6, 16>>(rows, name("4-across-words"));
  add<One<U8, kKind, 4, 16>>(rows, name("8-across-words"));
  add<One<V, kKind, 4, 32>>(rows, name("16-across-words"));
  add<One<U2, kKind, 63, 64>>(rows, name("2-across-lines"));
  add<One<U4, kKind, 62, 64>>(rows, name("4-across-lines"));
  add<One<U8, kKind, 60, 64>>(rows, name("8-across-lines"));
  add<One<V, kKind, 56, 64>>(rows, name("16-across-lines"));
  add<TwoInts<kKind>>(rows, name("-two-ints"));
}

template <Kind kKind>
void add_ranges(Rows& rows) {
  const auto name = [](const char* rest) { return name_of(kKind, rest); };
  add<Range<kKind, 16>>(rows, name("-range-16"));
  add<Range<kKind, 64>>(rows, name("-range-64"));
  add<Range<kKind, 256>>(rows, name("-range-256"));
  add<Range<kKind, 1 << 10>>(rows, name("-range-1K"));
  add<Range<kKind, 4 << 10>>(rows, name("-range-4K"));
  add<Range<kKind, 16 << 10>>(rows, name("-range-16K"));
  add<Range<kKind, 64 << 10>>(rows, name("-range-64K"));
  add<Range<kKind, 256, 16>>(rows, name("-strided-256-by-16"));
  add<Range<kKind, 4 << 10, 16>>(rows, name("-strided-4K-by-16"));
  add<Range<kKind, 4 << 10, 64>>(rows, name("-strided-4K-by-64"));
}

Rows make_rows() {
  Rows rows;
  add_kind<Kind::kRead>(rows);
  add_kind<Kind::kWrite>(rows);
  add_kind<Kind::kUpdate>(rows);
  add_wide_rows(rows);
  add_ranges<Kind::kRead>(rows);
  add_ranges<Kind::kWrite>(rows);
  add_ranges<Kind::kUpdate>(rows);
  return rows;
}

struct Column {
  const char* name;
  std::unique_ptr<State> (*make)(const Row&, Helpers&);
  std::size_t most_steps = 4096;
};
template <class S>
std::unique_ptr<State> make(const Row& row, Helpers& helpers) {
  return std::make_unique<S>(row, helpers);
}
// Few enough new contexts that all rows together stay below BigFoot's bound on them, eight million:
// some hundred rows, and eight passes of each.
constexpr std::size_t kDeepest = 1024;
// In the order in which they are measured: those that need more threads come last.
constexpr Column kColumns[] = {
    {"same-epoch", make<DoneAlready>},
    {"own-earlier", make<State>},
    {"handed-over", make<HandedOver>},
    {"fresh", make<Fresh>},
    {"fresh-later", make<FreshLater>},
    {"two-sizes", make<TwoSizes>},
    {"two-lines", make<FromTwoLines>},
    {"new-context", make<Recursion<&Row::descend>>, kDeepest},
    {"own-recursion", make<Recursion<&Row::descend_alone>>, kDeepest},
    {"array", make<InArray>},
    {"was-array", make<WasArray>},
    {"never-array", make<NeverArray>},
    {"read-by-2", make<ReadBy<2>>},
    {"read-by-4", make<ReadBy<4>>},
    {"read-by-16", make<ReadBy<16>>},
};

// One pass of a cell, in turn: prepared, measured, finished.
struct Runnable {
  std::function<void()> prepare, finish;
  std::function<void(std::size_t)> measured;
  // What another thread has done so far of the same; none: nobody contends.
  std::function<std::size_t()> done_elsewhere = nullptr;
};

struct Cell {
  std::string row;
  const char* column;
  std::size_t steps, counted;  // counted: 0 if instructions are not
  const char* why_not;         // "": it can be done
  std::function<void(Helpers&, const std::function<void(const Runnable&)>&)> with;
};

// Single steps take up to some twenty microseconds each, so few accesses are counted: a line of
// memory, whose state is shared. Longer ranges are only timed: ThreadSanitizer needs some 60 to 100
// instructions for each of their words.
std::size_t counted_steps(std::size_t steps, std::size_t bytes) {
  constexpr std::size_t kLine = 64, kLeast = 8, kMostBytes = 256;
  if (bytes > kMostBytes) return 0;
  // A range is as good as many accesses.
  const std::size_t least = std::max(std::size_t{1}, std::min(kLeast, kLeast * kLine / bytes));
  return std::min(steps / 2, std::max(kLine / bytes, least));
}

// REQUIRES: both live as long as the cells.
std::vector<Cell> make_cells(const std::vector<Operation>& all, const Rows& rows) {
  std::vector<Cell> cells;
  for (const Operation& o : all) {
    const auto alone = [o](Helpers&, const auto& use) {
      use({[] {}, [] {}, [&o](std::size_t steps) { o.measured(steps); }});
    };
    const auto contended = [o](Helpers& helpers, const auto& use) {
      constexpr std::size_t kLap = 256;  // long beside telling of it
      std::unique_ptr<UnseenCount> begun, enough, laps;
      use({[&] {
             begun = std::make_unique<UnseenCount>();
             enough = std::make_unique<UnseenCount>();
             laps = std::make_unique<UnseenCount>();
             helpers.begin(1, [&] {
               begun->add_one();
               while (enough->load() == 0) {
                 o.measured(kLap);
                 laps->tick();
               }
             });
             begun->wait_for(1);
           },
           [&] {
             enough->add_one();
             helpers.await(1);
           },
           [&o](std::size_t steps) { o.measured(steps); },
           [&] { return static_cast<std::size_t>(laps->load()) * kLap; }});
    };
    // Long beside the time that it takes the other thread to come back from the kernel.
    constexpr std::size_t kContended = 128;
    cells.push_back({o.name, "alone", o.steps, std::min(o.steps / 2, o.counted), "", alone});
    if (o.contends) cells.push_back({o.name, "contended", kContended * o.steps, 0, "", contended});
  }
  for (const Column& column : kColumns)
    for (const Row& row : rows) {
      const auto with = [&column, &row](Helpers& helpers, const auto& use) {
        const std::unique_ptr<State> state = column.make(row, helpers);
        use({[&] { state->prepare(); }, [&] { state->finish(); },
             [&](std::size_t steps) { state->measured(steps); }});
      };
      const bool unchecked = is_tsan() && row.unchecked_by_tsan;
      const std::size_t steps = std::min(column.most_steps, Memory::steps(row));
      cells.push_back({row.name, column.name, steps, counted_steps(steps, row.step),
                       unchecked ? "not checked by ThreadSanitizer" : "", with});
    }
  return cells;
}

int list(const std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& c = cells[i];
    std::printf("%zu\t%s\t%s\t%zu\t%zu\t%s\n", i, c.row.c_str(), c.column, c.steps, c.counted,
                c.why_not);
  }
  return 0;
}

// Of each pass, the shortest first; of those that should be contended only if they were. A pass in
// which the other thread was not running is the quickest, and is what `alone` says.
std::vector<double> nanoseconds(const Cell& cell, const Runnable& run, int runs) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kLeastShare = 4;  // of the other thread: a fourth of ours
  std::vector<double> all;
  for (int i = 0; i < runs; ++i) {
    run.prepare();
    const std::size_t before = run.done_elsewhere ? run.done_elsewhere() : 0;
    const auto start = Clock::now();
    run.measured(cell.steps);
    const std::chrono::duration<double, std::nano> taken = Clock::now() - start;
    const bool contended =
        !run.done_elsewhere || run.done_elsewhere() - before >= cell.steps / kLeastShare;
    run.finish();
    if (contended) all.push_back(taken.count() / static_cast<double>(cell.steps));
  }
  std::sort(all.begin(), all.end());
  return all;
}

void print_times(const Cell& cell, std::size_t number, const Runnable& run, int runs) {
  const std::vector<double> all = nanoseconds(cell, run, runs);
  if (all.empty()) return;
  const double median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  std::printf("%zu\t%.3f\t%.3f\n", number, run.done_elsewhere ? median : all[0], median);
}

// The tracer is told the cell's number. Without a tracer this ends the program.
[[gnu::always_inline]] inline void mark(std::size_t number) {
  asm volatile("int3" ::"a"(number) : "memory");
}

// A function of its own, called from one place: what this code itself accesses is checked as well,
// and has to look the same each time.
[[gnu::noinline]] void round(const Runnable& run, std::size_t steps, std::size_t number,
                             bool counts) {
  run.prepare();
  if (counts) mark(number);
  be_opaque(counts);  // else there are two copies of the call, which are two places
  run.measured(steps);
  if (counts) mark(number);
  run.finish();
}

// A pass of twice the steps, then one of the steps: what a pass or an epoch takes once is in both.
// The first rounds are those that are timed, and not counted: tables grow in them, memory is made
// present.
void count(const Cell& cell, std::size_t number, const Runnable& run) {
  constexpr std::size_t kWarmUps = 4;
  std::vector<std::size_t> steps(kWarmUps, cell.steps);
  steps.push_back(2 * cell.counted);
  steps.push_back(cell.counted);
  std::size_t rounds = steps.size();
  be_opaque(rounds);
#pragma clang loop unroll(disable)
  for (std::size_t i = 0; i < rounds; ++i) round(run, steps[i], number, i >= kWarmUps);
}

int usage() {
  std::fprintf(stderr, "usage: parity list | time RUNS CELL... | count CELL...\n");
  return 2;
}

}  // namespace
}  // namespace parity

int main(int argc, char** argv) {
  using namespace parity;
  const std::string_view what = argc > 1 ? argv[1] : "";
  const std::vector<Operation> all = operations();
  const Rows rows = make_rows();
  const std::vector<Cell> cells = make_cells(all, rows);
  if (what == "list") return list(cells);
  const bool times = what == "time" && argc > 2;
  if (!times && what != "count") return usage();
  const int runs = times ? std::atoi(argv[2]) : 0;
  Helpers helpers;
  for (int i = times ? 3 : 2; i < argc; ++i) {
    const std::size_t number = std::strtoul(argv[i], nullptr, 10);
    if (number >= cells.size()) return usage();
    const Cell& cell = cells[number];
    cell.with(helpers, [&](const Runnable& run) {
      if (times)
        print_times(cell, number, run, runs);
      else
        count(cell, number, run);
    });
  }
  return 0;
}
