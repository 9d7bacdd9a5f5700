// lufact: LU factorisation with partial pivoting and the solution of a dense system, LINPACK's
// dgefa and dgesl (Java Grande, section 2).
//
// In step k thread 0 chooses the pivot and scales column k; after a barrier the remaining columns
// are shared out in contiguous blocks, each updated from column k downwards. The blocks shrink and
// move with k: a triangular pattern in which every column passes from thread to thread.
//
// Valid if the scaled residual |Ax-b| / (eps (|A| |x| + |b|) n), in maximum norms, is below 16, the
// acceptance test of the High Performance LINPACK benchmark. The published bounds are for the
// published matrix, which is not used here: its generator repeats after 16384 numbers, so that rows
// 0 and 1024 of size C are equal and the system is singular.
#include <algorithm>
#include <barrier>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bench/programs/common/java_random.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<std::size_t> kOrder{40, 200, 500, 1000, 2000};
constexpr double kResidualBound = 16;

// A square matrix by columns.
class Matrix {
 public:
  explicit Matrix(std::size_t order)
      : order_(order), stride_(order + 1), values_(order * stride_) {}

  std::size_t order() const { return order_; }
  double* column(std::size_t j) { return &values_[j * stride_]; }
  const double* column(std::size_t j) const { return &values_[j * stride_]; }

 private:
  std::size_t order_;
  std::size_t stride_;  // one more than the order, against power-of-two cache conflicts
  std::vector<double> values_;
};

void generate(Matrix& a) {
  bench::JavaRandom random(1325);
  for (std::size_t j = 0; j < a.order(); ++j) {
    for (std::size_t i = 0; i < a.order(); ++i) a.column(j)[i] = 4 * random.next_double() - 2;
  }
}

// The right-hand side whose solution is all ones.
std::vector<double> row_sums(const Matrix& a) {
  std::vector<double> sums(a.order());
  for (std::size_t j = 0; j < a.order(); ++j) {
    for (std::size_t i = 0; i < a.order(); ++i) sums[i] += a.column(j)[i];
  }
  return sums;
}

// y += factor * x
inline void axpy(std::size_t n, double factor, const double* x, double* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

// Chooses the pivot of column k, moves it to the diagonal and turns the rest of the column into the
// negated multipliers. Returns the pivot's row.
std::size_t eliminate_column(Matrix& a, std::size_t k) {
  double* column = a.column(k);
  std::size_t pivot = k;
  for (std::size_t i = k + 1; i < a.order(); ++i) {
    if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
  }
  if (column[pivot] == 0) return k;
  std::swap(column[pivot], column[k]);
  const double scale = -1 / column[k];
  for (std::size_t i = k + 1; i < a.order(); ++i) column[i] *= scale;
  return pivot;
}

void factor(Matrix& a, std::vector<std::size_t>& pivots, int threads) {
  const std::size_t n = a.order();
  std::barrier barrier(threads);
  bench::run_team(threads, [&](int id) {
    for (std::size_t k = 0; k + 1 < n; ++k) {
      if (id == 0) pivots[k] = eliminate_column(a, k);
      barrier.arrive_and_wait();
      const std::size_t pivot = pivots[k];
      const double* multipliers = a.column(k);
      const auto [begin, end] = bench::block_of(k + 1, n, id, threads);
      for (std::size_t j = begin; j < end; ++j) {
        double* column = a.column(j);
        std::swap(column[pivot], column[k]);
        axpy(n - k - 1, column[k], multipliers + k + 1, column + k + 1);
      }
      barrier.arrive_and_wait();
    }
  });
  pivots[n - 1] = n - 1;
}

// Solves with the factors, in place of the right-hand side.
void solve(const Matrix& a, const std::vector<std::size_t>& pivots, std::vector<double>& b) {
  const std::size_t n = a.order();
  for (std::size_t k = 0; k + 1 < n; ++k) {
    std::swap(b[pivots[k]], b[k]);
    axpy(n - k - 1, b[k], a.column(k) + k + 1, &b[k] + 1);
  }
  for (std::size_t k = n; k-- > 0;) {
    b[k] /= a.column(k)[k];
    axpy(k, -b[k], a.column(k), b.data());
  }
}

double largest_magnitude(std::span<const double> v) {
  return std::accumulate(v.begin(), v.end(), 0.0,
                         [](double most, double x) { return std::max(most, std::abs(x)); });
}

// The largest sum of magnitudes along a row.
double row_norm(const Matrix& a) {
  std::vector<double> sums(a.order());
  for (std::size_t j = 0; j < a.order(); ++j) {
    for (std::size_t i = 0; i < a.order(); ++i) sums[i] += std::abs(a.column(j)[i]);
  }
  return largest_magnitude(sums);
}

double scaled_residual(std::size_t order, const std::vector<double>& x) {
  Matrix a(order);
  generate(a);
  const std::vector<double> b = row_sums(a);
  std::vector<double> residual = b;
  for (std::size_t j = 0; j < order; ++j) axpy(order, -x[j], a.column(j), residual.data());
  const double scale = row_norm(a) * largest_magnitude(x) + largest_magnitude(b);
  return largest_magnitude(residual) /
         (std::numeric_limits<double>::epsilon() * scale * static_cast<double>(order));
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::size_t order = kOrder[options.size];
  Matrix a(order);
  generate(a);
  std::vector<double> b = row_sums(a);
  std::vector<std::size_t> pivots(order);

  timer.start();
  factor(a, pivots, options.threads);
  solve(a, pivots, b);
  timer.stop();

  const double residual = scaled_residual(order, b);
  return {residual < kResidualBound,
          bench::format("order %zu, scaled residual %.2g", order, residual)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "lufact", run);
}
