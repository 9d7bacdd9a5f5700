// fft_transpose: the Fourier transform of n = m * m points as transforms of the rows of a square
// (the six steps of Bailey, "FFTs in external or hierarchical memory", 1990; the shape of the FFT
// of SPLASH-2).
//
// Transpose, transform the rows, multiply by roots of unity (twiddles), transpose, transform the
// rows, transpose. Complex numbers are neighbouring doubles of one array. A thread owns a band of
// rows and is the only one to write it; a transpose reads a band of columns, in blocks, and so the
// rows of all threads. Barriers stand before transposes. The kernel transforms forward and back.
//
// Valid if the way back ends where it began and sampled points of the forward transform, on each of
// which all input bears, are what the definition says.
#include <algorithm>
#include <barrier>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<int> kLogRows{5, 9, 10, 11, 12};  // log2 of m
constexpr std::size_t kTile = 8;                          // of a transpose, in points a side

// Points in row-major order, each as real and imaginary part.
using Points = std::vector<double>;

// exp(-2 pi i k / n)
std::complex<double> root_of_unity(std::size_t k, std::size_t n) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
}

void put(Points& points, std::size_t index, std::complex<double> value) {
  points[2 * index] = value.real();
  points[2 * index + 1] = value.imag();
}

Points make_roots(std::size_t m) {
  Points roots(m);
  for (std::size_t k = 0; k < m / 2; ++k) put(roots, k, root_of_unity(k, m));
  return roots;
}

// Point (j, k) is exp(-2 pi i j k / (m * m)): products of a coarse and a fine root, for 2 m sines
// in place of m * m.
Points make_twiddles(std::size_t m) {
  std::vector<std::complex<double>> coarse(m), fine(m);
  for (std::size_t k = 0; k < m; ++k) {
    coarse[k] = root_of_unity(k, m);
    fine[k] = root_of_unity(k, m * m);
  }
  Points twiddles(2 * m * m);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t k = 0; k < m; ++k) {
      put(twiddles, j * m + k, coarse[j * k / m] * fine[j * k % m]);
    }
  }
  return twiddles;
}

struct Tables {
  explicit Tables(int log_rows)
      : log_rows(log_rows),
        rows(std::size_t{1} << log_rows),
        roots(make_roots(rows)),
        twiddles(make_twiddles(rows)) {}

  int log_rows;
  std::size_t rows;
  Points roots;  // half of the m-th roots of unity
  Points twiddles;
};

enum class Direction { kForward, kBack };

// The sign that the imaginary parts of the tables take.
constexpr double sign_of(Direction direction) {
  return direction == Direction::kForward ? 1 : -1;
}

// Rows [own) of `to` become the columns of `from`.
void transpose(const Points& from, Points& to, std::size_t m, bench::Range own) {
  for (std::size_t row = own.begin; row < own.end; row += kTile) {
    for (std::size_t column = 0; column < m; column += kTile) {
      for (std::size_t i = row; i < std::min(row + kTile, own.end); ++i) {
        for (std::size_t j = column; j < column + kTile; ++j) {
          to[2 * (i * m + j)] = from[2 * (j * m + i)];
          to[2 * (i * m + j) + 1] = from[2 * (j * m + i) + 1];
        }
      }
    }
  }
}

void reverse_bits(double* row, int log_size) {
  const std::size_t size = std::size_t{1} << log_size;
  for (std::size_t i = 0, reversed = 0; i < size; ++i) {
    if (i < reversed) {
      std::swap(row[2 * i], row[2 * reversed]);
      std::swap(row[2 * i + 1], row[2 * reversed + 1]);
    }
    std::size_t bit = size >> 1;
    for (; bit != 0 && (reversed & bit) != 0; bit >>= 1) reversed ^= bit;
    reversed |= bit;
  }
}

// The transform of one row in place: bits reversed, then butterflies over growing distances.
void transform_row(double* row, const Tables& tables, double sign) {
  reverse_bits(row, tables.log_rows);
  const double* roots = tables.roots.data();
  for (std::size_t half = 1; half < tables.rows; half *= 2) {
    const std::size_t root_step = tables.rows / (2 * half);
    for (std::size_t start = 0; start < tables.rows; start += 2 * half) {
      double* low = row + 2 * start;
      double* high = low + 2 * half;
      for (std::size_t k = 0; k < half; ++k) {
        const double root_re = roots[2 * k * root_step];
        const double root_im = sign * roots[2 * k * root_step + 1];
        const double re = root_re * high[2 * k] - root_im * high[2 * k + 1];
        const double im = root_re * high[2 * k + 1] + root_im * high[2 * k];
        high[2 * k] = low[2 * k] - re;
        high[2 * k + 1] = low[2 * k + 1] - im;
        low[2 * k] += re;
        low[2 * k + 1] += im;
      }
    }
  }
}

void multiply(double* row, const double* twiddles, std::size_t m, double sign) {
  for (std::size_t k = 0; k < m; ++k) {
    const double re = row[2 * k], im = row[2 * k + 1];
    const double root_re = twiddles[2 * k], root_im = sign * twiddles[2 * k + 1];
    row[2 * k] = re * root_re - im * root_im;
    row[2 * k + 1] = re * root_im + im * root_re;
  }
}

void scale(double* row, std::size_t m, double factor) {
  for (std::size_t k = 0; k < 2 * m; ++k) row[k] *= factor;
}

// One thread's part of a transform from `data`, which is used up, to `result`.
void transform(Points& data, Points& result, const Tables& tables, Direction direction,
               bench::Range own, std::barrier<>& barrier) {
  const std::size_t m = tables.rows;
  const double sign = sign_of(direction);
  barrier.arrive_and_wait();
  transpose(data, result, m, own);
  for (std::size_t i = own.begin; i < own.end; ++i) {
    transform_row(&result[2 * i * m], tables, sign);
    multiply(&result[2 * i * m], &tables.twiddles[2 * i * m], m, sign);
  }
  barrier.arrive_and_wait();
  transpose(result, data, m, own);
  for (std::size_t i = own.begin; i < own.end; ++i) {
    transform_row(&data[2 * i * m], tables, sign);
    if (direction == Direction::kBack) scale(&data[2 * i * m], m, 1 / static_cast<double>(m * m));
  }
  barrier.arrive_and_wait();
  transpose(data, result, m, own);
}

struct Spectra {
  Points forward;
  Points back;  // of the forward one
};

Spectra transform_in_parallel(const Points& input, const Tables& tables, int threads) {
  Points scratch(input);
  Spectra spectra{Points(input.size()), Points(input.size())};
  std::barrier barrier(threads);
  bench::run_team(threads, [&](int id) {
    const auto own = bench::block_of(0, tables.rows, id, threads);
    const auto first = static_cast<std::ptrdiff_t>(2 * own.begin * tables.rows);
    const auto last = static_cast<std::ptrdiff_t>(2 * own.end * tables.rows);
    transform(scratch, spectra.forward, tables, Direction::kForward, own, barrier);
    barrier.arrive_and_wait();  // the last transpose read the rows of scratch that are written here
    std::copy(spectra.forward.begin() + first, spectra.forward.begin() + last,
              scratch.begin() + first);
    transform(scratch, spectra.back, tables, Direction::kBack, own, barrier);
  });
  return spectra;
}

// The definition, with roots by repeated multiplication that starts afresh every 256 points.
std::complex<double> transform_at(const Points& input, std::size_t index) {
  const std::size_t n = input.size() / 2;
  const std::complex<double> step = root_of_unity(index, n);
  std::complex<double> sum = 0, root = 1;
  for (std::size_t j = 0; j < n; ++j) {
    root = j % 256 == 0 ? root_of_unity(j * index % n, n) : root * step;
    sum += root * std::complex<double>(input[2 * j], input[2 * j + 1]);
  }
  return sum;
}

// Mean distance, which keeps a NaN.
double mean_error(const Points& a, const Points& b) {
  double error = 0;
  for (std::size_t i = 0; i < a.size(); ++i) error += std::abs(a[i] - b[i]);
  return error / static_cast<double>(a.size());
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Tables tables(kLogRows[options.size]);
  const std::size_t n = tables.rows * tables.rows;
  Points input(2 * n);
  bench::Random random(n);
  for (double& value : input) value = random.unit() - 0.5;

  timer.start();
  const Spectra spectra = transform_in_parallel(input, tables, options.threads);
  timer.stop();

  double forward_error = 0;
  for (const std::size_t k : {std::size_t{1}, n / 3}) {
    const std::complex<double> found(spectra.forward[2 * k], spectra.forward[2 * k + 1]);
    forward_error += std::abs(found - transform_at(input, k)) / std::sqrt(static_cast<double>(n));
  }
  const double back_error = mean_error(spectra.back, input);
  return {forward_error <= 1e-11 && back_error <= 1e-14,
          bench::format("%zu points, errors %.2g and %.2g", n, forward_error, back_error)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "fft_transpose", run);
}
