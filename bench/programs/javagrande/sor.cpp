// sor: 100 iterations of red-black successive over-relaxation on a square grid (Java Grande,
// section 2).
//
// Threads own bands of rows. A half-iteration updates every second point of each row from its four
// neighbours, so that a thread also reads one row of each neighbouring band; a barrier stands
// between half-iterations. (The published program synchronises neighbours through plain counters,
// which is a race; this is the barrier that the race-checked versions of the suite put in its
// place.)
//
// Points of one colour depend on the other colour alone, so the result does not depend on the
// number of threads. Valid if the sum over the grid agrees with the published one to 1e-12 (A, B,
// C) or with a single-threaded sweep over a copy (tiny, small).
//
// The racy variant leaves out the barrier between the two colours of an iteration.
#include <barrier>
#include <cmath>
#include <optional>
#include <vector>

#include "bench/programs/common/java_random.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<std::size_t> kSide{48, 300, 1000, 1500, 2000};
constexpr bench::BySize<std::optional<double>> kReferenceSum{
    std::nullopt, std::nullopt, 0.498574406322512, 1.1234778980135105, 1.9954895063582696};
constexpr int kIterations = 100;
constexpr double kOmega = 1.25;

struct Grid {
  explicit Grid(std::size_t side) : side(side), values(side * side) {}

  double* row(std::size_t i) { return &values[i * side]; }
  const double* row(std::size_t i) const { return &values[i * side]; }

  std::size_t side;
  std::vector<double> values;
};

Grid random_grid(std::size_t side) {
  bench::JavaRandom random(10101010);
  Grid grid(side);
  for (double& value : grid.values) value = random.next_double() * 1e-6;
  return grid;
}

// Updates the inner points of rows [begin, end) whose coordinates have the given parity of i + j.
void relax(Grid& grid, std::size_t begin, std::size_t end, std::size_t parity) {
  for (std::size_t i = begin; i < end; ++i) {
    const double* above = grid.row(i - 1);
    const double* below = grid.row(i + 1);
    double* row = grid.row(i);
    for (std::size_t j = 1 + (i + 1 + parity) % 2; j + 1 < grid.side; j += 2) {
      row[j] =
          kOmega * 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]) + (1 - kOmega) * row[j];
    }
  }
}

void relax_in_parallel(Grid& grid, int threads) {
  std::barrier barrier(threads);
  bench::run_team(threads, [&](int id) {
    const auto [begin, end] = bench::block_of(1, grid.side - 1, id, threads);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      relax(grid, begin, end, 0);
      if constexpr (!bench::kRacy) barrier.arrive_and_wait();
      relax(grid, begin, end, 1);
      barrier.arrive_and_wait();
    }
  });
}

double inner_sum(const Grid& grid) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < grid.side; ++i) {
    for (std::size_t j = 1; j + 1 < grid.side; ++j) sum += grid.row(i)[j];
  }
  return sum;
}

double sequential_sum(std::size_t side) {
  Grid grid = random_grid(side);
  for (int half = 0; half < 2 * kIterations; ++half) {
    relax(grid, 1, side - 1, static_cast<std::size_t>(half % 2));
  }
  return inner_sum(grid);
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::size_t side = kSide[options.size];
  Grid grid = random_grid(side);

  timer.start();
  relax_in_parallel(grid, options.threads);
  timer.stop();

  const double sum = inner_sum(grid);
  const auto& published = kReferenceSum[options.size];
  const double expected = published ? *published : sequential_sum(side);
  return {std::abs(sum - expected) <= 1e-12, bench::format("side %zu, sum %.16g", side, sum)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "sor", run);
}
