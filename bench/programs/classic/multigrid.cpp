// multigrid: a Poisson equation on a square, solved by V-cycles with red-black Gauss-Seidel
// relaxation (the shape of the solver in the ocean simulation of SPLASH-2).
//
// A grid is an array of pointers to rows, each allocated for itself. At every level threads own
// bands of rows, relax the two colours in turn, pass the residual on to the next coarser grid and
// take its correction back; they read the rows next to their band. A barrier stands between any two
// of these sweeps. After a cycle each thread adds the size of its residual to a global one under a
// lock, and all stop when it is small enough. The coarsest grid has one inner point.
//
// A sweep reads what other sweeps wrote and the residual is a maximum, so that the result does not
// depend on the number of threads. Valid if a residual that is computed afresh, with the right-hand
// side made again, is below the bound, and if it took a few cycles only, as it does when all
// corrections are right.
#include <algorithm>
#include <barrier>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<int> kLogIntervals{4, 9, 10, 11, 12};
constexpr double kTolerance = 1e-8;  // of the residual, relative to the right-hand side
constexpr int kMaxCycles = 10;
constexpr int kSweeps = 2;  // before and after the coarser grid

class Grid {
 public:
  explicit Grid(std::size_t side) : rows_(side), pointers_(side) {
    for (std::size_t i = 0; i < side; ++i) {
      rows_[i] = std::make_unique<double[]>(side);
      pointers_[i] = rows_[i].get();
    }
  }

  double** rows() { return pointers_.data(); }

 private:
  std::vector<std::unique_ptr<double[]>> rows_;
  std::vector<double*> pointers_;
};

// -(second derivatives of solution) = right; zero on the boundary, which the grid includes.
struct Level {
  explicit Level(int log_intervals)
      : intervals(std::size_t{1} << log_intervals),
        inverse_h2(static_cast<double>(intervals) * static_cast<double>(intervals)),
        solution(intervals + 1),
        right(intervals + 1),
        residual(intervals + 1) {}

  std::size_t intervals;  // along a side; inner points are 1 to intervals - 1
  double inverse_h2;
  Grid solution, right, residual;
};

double source(std::size_t i, std::size_t j) {
  return static_cast<double>(bench::mix(i << 32 | j) >> 11) * 0x1.0p-52 - 1;
}

// The points of a row whose coordinates have the given parity of i + j.
void relax_row(double** u, double** right, const Level& level, std::size_t i, std::size_t parity) {
  const double h2 = 1 / level.inverse_h2;
  for (std::size_t j = 1 + (i + 1 + parity) % 2; j < level.intervals; j += 2) {
    u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + h2 * right[i][j]);
  }
}

double residual_at(double** u, double** right, double inverse_h2, std::size_t i, std::size_t j) {
  return right[i][j] -
         inverse_h2 * (4 * u[i][j] - u[i - 1][j] - u[i + 1][j] - u[i][j - 1] - u[i][j + 1]);
}

// Each coarse point takes 1/4 of the fine residual there and less of its neighbours' (full
// weighting); the coarse solution, a correction, starts at 0.
void restrict_row(double** fine, Level& coarse, std::size_t row) {
  double* right = coarse.right.rows()[row];
  double* solution = coarse.solution.rows()[row];
  const double *above = fine[2 * row - 1], *middle = fine[2 * row], *below = fine[2 * row + 1];
  for (std::size_t column = 1; column < coarse.intervals; ++column) {
    const std::size_t j = 2 * column;
    const double corners = above[j - 1] + above[j + 1] + below[j - 1] + below[j + 1];
    const double edges = above[j] + below[j] + middle[j - 1] + middle[j + 1];
    right[column] = 0.0625 * (corners + 2 * edges + 4 * middle[j]);
    solution[column] = 0;
  }
}

// Adds the coarse correction to a row of the fine grid, linear between coarse points.
void correct_row(double** coarse, double* fine, std::size_t intervals, std::size_t i) {
  const double* above = coarse[i / 2];
  const double* below = coarse[(i + 1) / 2];
  for (std::size_t j = 1; j < intervals; ++j) {
    const std::size_t left = j / 2, right = (j + 1) / 2;
    fine[j] += 0.25 * (above[left] + above[right] + below[left] + below[right]);
  }
}

class Solver {
 public:
  Solver(int log_intervals, int threads) : threads_(threads), barrier_(threads) {
    for (int log = log_intervals; log > 0; --log) {
      levels_.push_back(std::make_unique<Level>(log));
    }
    double** right = finest().right.rows();
    for (std::size_t i = 1; i < finest().intervals; ++i) {
      for (std::size_t j = 1; j < finest().intervals; ++j) right[i][j] = source(i, j);
    }
  }

  void run() {
    bench::run_team(threads_, [this](int id) { run_thread(id); });
  }

  Level& finest() { return *levels_.front(); }
  int cycles() const { return cycles_; }

 private:
  void run_thread(int id) {
    for (int cycle = 1; cycle <= kMaxCycles; ++cycle) {
      run_cycle(id);
      const double error = find_residual(*levels_.front(), id);
      {
        const std::scoped_lock lock(error_mutex_);
        error_ = std::max(error_, error);
      }
      barrier_.arrive_and_wait();
      const bool done = error_ <= kTolerance;
      barrier_.arrive_and_wait();
      if (id == 0) {  // the others come to error_ again after barriers of the next cycle
        error_ = 0;
        cycles_ = cycle;
      }
      if (done) return;
    }
  }

  void run_cycle(int id) {
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) descend(*levels_[l], *levels_[l + 1], id);
    relax(*levels_.back(), id);
    for (std::size_t l = levels_.size() - 1; l-- > 0;) ascend(*levels_[l], *levels_[l + 1], id);
  }

  void descend(Level& fine, Level& coarse, int id) {
    relax(fine, id);
    find_residual(fine, id);
    barrier_.arrive_and_wait();
    const auto own = band(coarse, id);
    for (std::size_t i = own.begin; i < own.end; ++i) restrict_row(fine.residual.rows(), coarse, i);
    barrier_.arrive_and_wait();
  }

  void ascend(Level& fine, Level& coarse, int id) {
    const auto own = band(fine, id);
    for (std::size_t i = own.begin; i < own.end; ++i) {
      correct_row(coarse.solution.rows(), fine.solution.rows()[i], fine.intervals, i);
    }
    barrier_.arrive_and_wait();
    relax(fine, id);
  }

  void relax(Level& level, int id) {
    const auto own = band(level, id);
    for (std::size_t half = 0; half < 2 * kSweeps; ++half) {
      for (std::size_t i = own.begin; i < own.end; ++i) {
        relax_row(level.solution.rows(), level.right.rows(), level, i, half % 2);
      }
      barrier_.arrive_and_wait();
    }
  }

  // Stores the residual of the thread's band; the largest of it.
  double find_residual(Level& level, int id) {
    double largest = 0;
    const auto own = band(level, id);
    for (std::size_t i = own.begin; i < own.end; ++i) {
      double* row = level.residual.rows()[i];
      for (std::size_t j = 1; j < level.intervals; ++j) {
        row[j] = residual_at(level.solution.rows(), level.right.rows(), level.inverse_h2, i, j);
        largest = std::max(largest, std::abs(row[j]));
      }
    }
    return largest;
  }

  bench::Range band(const Level& level, int id) const {
    return bench::block_of(1, level.intervals, id, threads_);
  }

  const int threads_;
  std::vector<std::unique_ptr<Level>> levels_;  // the finest first
  std::barrier<> barrier_;
  std::mutex error_mutex_;
  double error_ = 0;  // guarded by error_mutex_ while it grows, by the barriers otherwise
  int cycles_ = 0;    // written by thread 0, read after the threads are joined
};

// Mean size, which keeps a NaN, unlike a maximum.
double mean_residual(Level& level) {
  const std::size_t n = level.intervals;
  double** u = level.solution.rows();
  double sum = 0;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 1; j < n; ++j) {
      const double neighbours = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
      sum += std::abs(level.inverse_h2 * (4 * u[i][j] - neighbours) - source(i, j));
    }
  }
  return sum / static_cast<double>(n * n);
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  Solver solver(kLogIntervals[options.size], options.threads);

  timer.start();
  solver.run();
  timer.stop();

  const double residual = mean_residual(solver.finest());
  return {residual <= kTolerance && solver.cycles() < kMaxCycles,
          bench::format("%zu intervals, %d cycles, residual %.4g", solver.finest().intervals,
                        solver.cycles(), residual)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "multigrid", run);
}
