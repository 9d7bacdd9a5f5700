// OpenBLAS: its threads multiply a matrix with its transpose and then factor the product by
// Cholesky's method.
//
// Blocks are copied into buffers that fit a cache, handed from thread to thread by flags, and
// multiplied there. Valid if the product agrees with A (A' x) for a random x (Freivalds' test) and
// so does the factor, with L (L' x).
#include <cmath>
#include <cstddef>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/real/common/scratch_folder.h"

// From the package's cblas.h, which wants Fortran's names and types too. Columns lie one after the
// other.
extern "C" {
enum Layout { kColumns = 102 };
enum Transposed { kAsItIs = 111, kTransposed = 112 };
void cblas_dgemm(Layout layout, Transposed transposed_a, Transposed transposed_b, int m, int n,
                 int k, double alpha, const double* a, int lda, const double* b, int ldb,
                 double beta, double* c, int ldc);
int dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* failed);
void openblas_set_num_threads(int threads);
}

namespace {

constexpr bench::BySize<int> kOrder{96, 480, 1'000, 1'600, 2'500};
constexpr double kTolerance = 1e-13;  // for each column

using Vector = std::vector<double>;

// A square matrix, column by column.
class Matrix {
 public:
  explicit Matrix(int order)
      : order_(order),
        entries_(static_cast<std::size_t>(order) * static_cast<std::size_t>(order)) {}

  int order() const { return order_; }
  double* data() { return entries_.data(); }
  const double* data() const { return entries_.data(); }
  const double* column(int number) const {
    return entries_.data() + static_cast<std::size_t>(number) * static_cast<std::size_t>(order_);
  }

 private:
  int order_;
  Vector entries_;
};

Matrix random_matrix(int order) {
  bench::Random random(1);
  Matrix matrix(order);
  for (int i = 0; i < order * order; ++i) matrix.data()[i] = 2 * random.unit() - 1;
  return matrix;
}

Vector random_vector(int size) {
  bench::Random random(2);
  Vector vector(static_cast<std::size_t>(size));
  for (double& entry : vector) entry = 2 * random.unit() - 1;
  return vector;
}

// a x, or of its lower triangle alone.
Vector times(const Matrix& a, const Vector& x, bool lower = false) {
  Vector product(x.size());
  for (int j = 0; j < a.order(); ++j) {
    const double* const column = a.column(j);
    for (int i = lower ? j : 0; i < a.order(); ++i)
      product[static_cast<std::size_t>(i)] += column[i] * x[static_cast<std::size_t>(j)];
  }
  return product;
}

Vector transposed_times(const Matrix& a, const Vector& x, bool lower = false) {
  Vector product(x.size());
  for (int j = 0; j < a.order(); ++j) {
    const double* const column = a.column(j);
    double sum = 0;
    for (int i = lower ? j : 0; i < a.order(); ++i)
      sum += column[i] * x[static_cast<std::size_t>(i)];
    product[static_cast<std::size_t>(j)] = sum;
  }
  return product;
}

// How far apart they are, for the length of the second.
double distance(const Vector& found, const Vector& expected) {
  double squares = 0, length = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    squares += (found[i] - expected[i]) * (found[i] - expected[i]);
    length += expected[i] * expected[i];
  }
  return std::sqrt(squares / length);
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const int order = kOrder[options.size];
  openblas_set_num_threads(options.threads);
  const Matrix a = random_matrix(order);
  Matrix c(order);

  timer.start();
  cblas_dgemm(kColumns, kAsItIs, kTransposed, order, order, order, 1, a.data(), order, a.data(),
              order, 0, c.data(), order);
  timer.stop();
  const Vector x = random_vector(order);
  const Vector expected = times(a, transposed_times(a, x));
  const double product_error = distance(times(c, x), expected);

  int failed = 0;
  timer.start();
  dpotrf_("L", &order, c.data(), &order, &failed);
  timer.stop();
  bench::require(failed == 0, "dpotrf");
  const double factor_error = distance(times(c, transposed_times(c, x, true), true), expected);

  const double error = std::fmax(product_error, factor_error);
  return {error <= kTolerance * order, bench::format("order %d, error %.1e", order, error),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "openblas", run);
}
