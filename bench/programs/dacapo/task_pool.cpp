// task_pool: a work-stealing fork/join pool, sorting an array and counting the solutions of the
// queens puzzle. Nothing in the DaCapo suite is like it; much of today's C++ is.
//
// Each worker has a deque of Chase and Lev ("Dynamic circular work-stealing deque", SPAA 2005): the
// owner works at one end with plain atomic loads and stores, thieves take from the other by
// compare-and-swap. Tasks live on the stacks of those who wait for them. All synchronisation is by
// atomics.
//
// Valid if the array is an ordered permutation of its input and the number of solutions is the
// known one (sequence A000170 of the On-Line Encyclopedia of Integer Sequences).
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  std::size_t elements;
  int queens;
  std::uint64_t solutions;
};

constexpr bench::BySize<Workload> kWorkload{{5'000, 7, 40},
                                            {200'000, 9, 352},
                                            {3'000'000, 12, 14'200},
                                            {12'000'000, 13, 73'712},
                                            {48'000'000, 14, 365'596}};

class Worker;

struct Task {
  void (*run)(Task&, Worker&);
  std::atomic<bool> done{false};
};

// Sequentially consistent throughout: with fences, as in later versions, the orders could be
// weaker, but the deque is not what takes the time here.
class Deque {
 public:
  // Owner only. REQUIRES: fewer than kCapacity tasks are in the deque.
  void push(Task* task) {
    const std::int64_t bottom = bottom_.load();
    slots_[static_cast<std::size_t>(bottom) % kCapacity].store(task);
    bottom_.store(bottom + 1);
  }

  // Owner only: the task pushed last, or null.
  Task* pop() {
    const std::int64_t bottom = bottom_.load() - 1;
    bottom_.store(bottom);
    std::int64_t top = top_.load();
    if (top > bottom) {
      bottom_.store(bottom + 1);
      return nullptr;
    }
    Task* task = slots_[static_cast<std::size_t>(bottom) % kCapacity].load();
    if (top == bottom) {
      if (!top_.compare_exchange_strong(top, top + 1)) task = nullptr;
      bottom_.store(bottom + 1);
    }
    return task;
  }

  // Any thread: the oldest task, or null.
  Task* steal() {
    std::int64_t top = top_.load();
    if (top >= bottom_.load()) return nullptr;
    Task* task = slots_[static_cast<std::size_t>(top) % kCapacity].load();
    return top_.compare_exchange_strong(top, top + 1) ? task : nullptr;
  }

 private:
  // A worker's deque holds at most one task per level of recursion.
  static constexpr std::size_t kCapacity = 1024;

  alignas(64) std::atomic<std::int64_t> top_{0};
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  std::array<std::atomic<Task*>, kCapacity> slots_{};
};

class Pool {
 public:
  explicit Pool(int threads) : deques_(static_cast<std::size_t>(threads)) {}

  // Runs body(worker) on the calling thread while the other threads steal from it and from each
  // other.
  template <typename Body>
  void run(const Body& body);

  std::vector<Deque>& deques() { return deques_; }

 private:
  std::vector<Deque> deques_;
};

class Worker {
 public:
  Worker(Pool& pool, std::size_t id) : deques_(pool.deques()), own_(deques_[id]), random_(id) {}

  // Runs both, possibly at once; returns when both are done.
  template <typename First, typename Second>
  void both(const First& first, const Second& second) {
    struct Closure : Task {
      const Second* body;
    } forked{{[](Task& task, Worker& worker) { (*static_cast<Closure&>(task).body)(worker); }},
             &second};
    own_.push(&forked);
    first(*this);
    if (Task* mine = own_.pop()) {
      mine->run(*mine,
                *this);  // what was pushed last is the task forked here: inner forks are done
      return;
    }
    while (!forked.done.load(std::memory_order_acquire)) help();
  }

  // Runs somebody else's task if there is one.
  void help() {
    Task* task = deques_[random_.below(deques_.size())].steal();
    if (task == nullptr) {
      std::this_thread::yield();
      return;
    }
    task->run(*task, *this);
    task->done.store(true, std::memory_order_release);  // after this the task may be gone
  }

 private:
  std::vector<Deque>& deques_;
  Deque& own_;
  bench::Random random_;
};

template <typename Body>
void Pool::run(const Body& body) {
  std::atomic<bool> finished{false};
  bench::run_team(static_cast<int>(deques_.size()), [&](int id) {
    Worker worker(*this, static_cast<std::size_t>(id));
    if (id == 0) {
      body(worker);
      finished.store(true);
    } else {
      while (!finished.load()) worker.help();
    }
  });
}

using Elements = std::span<std::uint32_t>;

// Merges the halves of `from`, each in order, into `to`.
void merge_halves(Elements from, Elements to) {
  const auto middle = from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2);
  std::merge(from.begin(), middle, middle, from.end(), to.begin());
}

// Sorts `data` in place, or into `scratch` if asked; the other holds rubbish then.
void merge_sort(Elements data, Elements scratch, bool into_scratch, Worker& worker) {
  constexpr std::size_t kSequential = 4096;
  if (data.size() <= kSequential) {
    std::sort(data.begin(), data.end());
    if (into_scratch) std::copy(data.begin(), data.end(), scratch.begin());
    return;
  }
  const std::size_t half = data.size() / 2;
  worker.both(
      [&](Worker& w) { merge_sort(data.first(half), scratch.first(half), !into_scratch, w); },
      [&](Worker& w) { merge_sort(data.subspan(half), scratch.subspan(half), !into_scratch, w); });
  into_scratch ? merge_halves(data, scratch) : merge_halves(scratch, data);
}

// Columns and diagonals under attack in the next row, as bits.
struct Board {
  std::uint32_t columns = 0, left = 0, right = 0;

  Board with_queen(std::uint32_t bit) const {
    return {columns | bit, (left | bit) << 1, (right | bit) >> 1};
  }
  std::uint32_t free(int queens) const { return ~(columns | left | right) & ((1u << queens) - 1); }
};

std::uint64_t count_solutions(const Board& board, int queens) {
  if (board.columns == (1u << queens) - 1) return 1;
  std::uint64_t solutions = 0;
  for (std::uint32_t free = board.free(queens); free != 0; free &= free - 1) {
    solutions += count_solutions(board.with_queen(free & -free), queens);
  }
  return solutions;
}

std::uint64_t count_in_parallel(const Board& board, int queens, int row, Worker& worker);

// The solutions with the queen of this row on one of the given squares.
std::uint64_t count_squares(const Board& board, std::uint32_t squares, int queens, int row,
                            Worker& worker) {
  if (squares == 0) return 0;
  const std::uint32_t bit = squares & -squares;
  std::uint64_t here = 0, rest = 0;
  worker.both(
      [&](Worker& w) { here = count_in_parallel(board.with_queen(bit), queens, row + 1, w); },
      [&](Worker& w) { rest = count_squares(board, squares & (squares - 1), queens, row, w); });
  return here + rest;
}

std::uint64_t count_in_parallel(const Board& board, int queens, int row, Worker& worker) {
  constexpr int kParallelRows = 4;
  if (row >= kParallelRows) return count_solutions(board, queens);
  return count_squares(board, board.free(queens), queens, row, worker);
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  std::vector<std::uint32_t> data(workload.elements), scratch(workload.elements);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(bench::mix(i));
  const std::uint64_t sum_before = std::accumulate(data.begin(), data.end(), std::uint64_t{0});
  std::uint64_t solutions = 0;
  Pool pool(options.threads);

  timer.start();
  pool.run([&](Worker& worker) {
    merge_sort(data, scratch, false, worker);
    solutions = count_in_parallel({}, workload.queens, 0, worker);
  });
  timer.stop();

  const std::uint64_t sum_after = std::accumulate(data.begin(), data.end(), std::uint64_t{0});
  const bool valid = std::is_sorted(data.begin(), data.end()) && sum_before == sum_after &&
                     solutions == workload.solutions;
  return {valid, bench::format("%zu elements sorted, %d queens: %llu solutions", data.size(),
                               workload.queens, static_cast<unsigned long long>(solutions))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "task_pool", run);
}
