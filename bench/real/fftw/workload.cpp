// FFTW: one two-dimensional transform after the other, forward and backward, whose loops FFTW
// shares out among its threads.
//
// The codelets walk complex arrays in strides; the threads meet after each loop. Valid if some
// frequencies agree with the sum that defines them and the field comes back at the end.
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/real/common/scratch_folder.h"
#include "fftw3.h"

namespace {

struct Work {
  int order;   // points in each direction, a power of two
  int rounds;  // a forward and a backward transform each
};

constexpr bench::BySize<Work> kWork{{32, 2}, {256, 15}, {512, 20}, {1'024, 20}, {2'048, 20}};

using Complex = std::complex<double>;
using Field = std::vector<Complex>;

Field random_field(int order) {
  bench::Random random(1);
  Field field(static_cast<std::size_t>(order) * static_cast<std::size_t>(order));
  for (Complex& value : field) value = {2 * random.unit() - 1, 2 * random.unit() - 1};
  return field;
}

// A plan of FFTW for one direction. Estimated, not measured: it is the same in every run.
class Transform {
 public:
  Transform(int order, Field& from, Field& to, int direction)
      : plan_(fftw_plan_dft_2d(order, order, data(from), data(to), direction, FFTW_ESTIMATE)) {
    bench::require(plan_ != nullptr, "fftw_plan_dft_2d");
  }
  ~Transform() { fftw_destroy_plan(plan_); }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  void run() const { fftw_execute(plan_); }

 private:
  static fftw_complex* data(Field& field) { return reinterpret_cast<fftw_complex*>(field.data()); }

  fftw_plan plan_;
};

// The frequency (row, column) of the field by definition.
Complex frequency(const Field& field, int order, int row, int column) {
  std::vector<Complex> turns(static_cast<std::size_t>(order));
  for (std::size_t i = 0; i < turns.size(); ++i)
    turns[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / order);
  Complex sum = 0;
  std::size_t at = 0;
  for (int y = 0; y < order; ++y) {
    for (int x = 0; x < order; ++x)
      sum += field[at++] * turns[static_cast<std::size_t>((y * row + x * column) % order)];
  }
  return sum;
}

// A few frequencies; what the rest might hide, the way back shows.
bool frequencies_are_right(const Field& field, const Field& transformed, int order) {
  bench::Random random(2);
  for (int i = 0; i < 4; ++i) {
    const int row = static_cast<int>(random.below(static_cast<std::uint64_t>(order)));
    const int column = static_cast<int>(random.below(static_cast<std::uint64_t>(order)));
    const Complex found = transformed[static_cast<std::size_t>(row * order + column)];
    if (std::abs(found - frequency(field, order, row, column)) > 1e-9 * order) return false;
  }
  return true;
}

double largest_difference(const Field& a, const Field& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const auto [order, rounds] = kWork[options.size];
  bench::require(fftw_init_threads() != 0, "fftw_init_threads");
  fftw_plan_with_nthreads(options.threads);
  const Field original = random_field(order);
  Field field = original, transformed(original.size());
  const Transform forward(order, field, transformed, FFTW_FORWARD);
  const Transform backward(order, transformed, field, FFTW_BACKWARD);

  bool valid = true;
  for (int round = 0; round < rounds; ++round) {
    timer.start();
    forward.run();
    timer.stop();
    if (round == 0) valid = frequencies_are_right(original, transformed, order);
    timer.start();
    backward.run();
    timer.stop();
    // The way back multiplies by the number of points.
    for (Complex& value : field) value /= static_cast<double>(field.size());
  }

  const double error = largest_difference(field, original);
  return {valid && error <= 1e-12 * rounds, bench::format("%d x %d points", order, order)};
}

}  // namespace

int main(int argc, char** argv) {
  const int verdict = bench::program_main(argc, argv, "fftw", run);
  fftw_cleanup_threads();
  return verdict;
}
