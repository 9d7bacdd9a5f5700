// LU factorisation without pivoting, in square blocks, for any layout of the matrix: what
// lu_contiguous and lu_strided share.
//
// Blocks are dealt out to a grid of threads (a two-dimensional scatter), and only its owner ever
// writes a block. Step k factors the diagonal block (k, k), then the perimeter, which is the rest
// of block row k and of block column k, then subtracts products of perimeter blocks from the
// interior. A barrier stands before the perimeter, which reads the diagonal block, and before the
// interior, which reads the perimeter. None is needed after the interior: what the next diagonal
// block and perimeter read of it, their owners wrote.
//
// The racy variant leaves out the barrier before the interior.
//
// A matrix has blocks() blocks a side, block(i, j), the first element of a block, stride(), the
// distance of a block's rows, and at(row, column) for the elements.
#pragma once

#include <barrier>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace lu {

inline constexpr std::size_t kBlock = 16;

inline constexpr bench::BySize<std::size_t> kSide{64, 512, 1024, 1536, 2560};

// Small elements scattered around 0, and a diagonal that makes the factorisation stable.
inline double input_at(std::size_t row, std::size_t column, std::size_t side) {
  const std::uint64_t scattered = bench::mix(row * side + column);
  const double value = static_cast<double>(scattered >> 11) * 0x1.0p-52 - 1;
  return row == column ? value + static_cast<double>(side) : value;
}

template <typename Matrix>
void fill(Matrix& matrix) {
  const std::size_t side = matrix.blocks() * kBlock;
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) matrix.at(i, j) = input_at(i, j, side);
  }
}

// to -= factor * from, for one row of a block.
inline void subtract_row(double* to, double factor, const double* from, std::size_t begin) {
  for (std::size_t j = begin; j < kBlock; ++j) to[j] -= factor * from[j];
}

// a = L U in place: L has ones on its diagonal, which are not stored.
inline void factor_diagonal(double* a, std::size_t stride) {
  for (std::size_t k = 0; k < kBlock; ++k) {
    for (std::size_t i = k + 1; i < kBlock; ++i) {
      a[i * stride + k] /= a[k * stride + k];
      subtract_row(a + i * stride, a[i * stride + k], a + k * stride, k + 1);
    }
  }
}

// a = L^-1 a, with L of the diagonal block.
inline void solve_right_of(const double* diagonal, double* a, std::size_t stride) {
  for (std::size_t k = 0; k < kBlock; ++k) {
    for (std::size_t i = k + 1; i < kBlock; ++i) {
      subtract_row(a + i * stride, diagonal[i * stride + k], a + k * stride, 0);
    }
  }
}

// a = a U^-1, with U of the diagonal block.
inline void solve_below(const double* diagonal, double* a, std::size_t stride) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    for (std::size_t k = 0; k < kBlock; ++k) {
      a[i * stride + k] /= diagonal[k * stride + k];
      subtract_row(a + i * stride, a[i * stride + k], diagonal + k * stride, k + 1);
    }
  }
}

// a -= left * above.
inline void subtract_product(double* a, const double* left, const double* above,
                             std::size_t stride) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    for (std::size_t k = 0; k < kBlock; ++k) {
      subtract_row(a + i * stride, left[i * stride + k], above + k * stride, 0);
    }
  }
}

// The grid of threads: as close to a square as the number of threads allows.
class Scatter {
 public:
  explicit Scatter(int threads) {
    for (std::size_t rows = 1; rows * rows <= static_cast<std::size_t>(threads); ++rows) {
      if (static_cast<std::size_t>(threads) % rows == 0) rows_ = rows;
    }
    columns_ = static_cast<std::size_t>(threads) / rows_;
  }

  int owner(std::size_t i, std::size_t j) const {
    return static_cast<int>(i % rows_ * columns_ + j % columns_);
  }

 private:
  std::size_t rows_ = 1, columns_ = 1;
};

template <typename Matrix>
void factor_perimeter(Matrix& matrix, const Scatter& scatter, int id, std::size_t k) {
  const double* diagonal = matrix.block(k, k);
  for (std::size_t i = k + 1; i < matrix.blocks(); ++i) {
    if (scatter.owner(i, k) == id) solve_below(diagonal, matrix.block(i, k), matrix.stride());
    if (scatter.owner(k, i) == id) solve_right_of(diagonal, matrix.block(k, i), matrix.stride());
  }
}

template <typename Matrix>
void update_interior(Matrix& matrix, const Scatter& scatter, int id, std::size_t k) {
  for (std::size_t i = k + 1; i < matrix.blocks(); ++i) {
    for (std::size_t j = k + 1; j < matrix.blocks(); ++j) {
      if (scatter.owner(i, j) != id) continue;
      subtract_product(matrix.block(i, j), matrix.block(i, k), matrix.block(k, j), matrix.stride());
    }
  }
}

template <typename Matrix>
void factor_in_parallel(Matrix& matrix, int threads) {
  const Scatter scatter(threads);
  std::barrier barrier(threads);
  bench::run_team(threads, [&](int id) {
    for (std::size_t k = 0; k < matrix.blocks(); ++k) {
      if (scatter.owner(k, k) == id) factor_diagonal(matrix.block(k, k), matrix.stride());
      barrier.arrive_and_wait();
      factor_perimeter(matrix, scatter, id, k);
      if constexpr (!bench::kRacy) barrier.arrive_and_wait();
      update_interior(matrix, scatter, id, k);
    }
  });
}

// The mean of |L (U x) - A x| for a scattered x, relative to the size of A x. n^2 operations find
// an error anywhere in the factors, where ||L U - A|| itself would take as long as the
// factorisation.
template <typename Matrix>
double residual(const Matrix& matrix) {
  const std::size_t side = matrix.blocks() * kBlock;
  std::vector<double> x(side), ux(side);
  for (std::size_t i = 0; i < side; ++i) x[i] = bench::Random(i).unit() + 0.5;
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = i; j < side; ++j) ux[i] += matrix.at(i, j) * x[j];
  }
  double error = 0;
  for (std::size_t i = 0; i < side; ++i) {
    double difference = ux[i];
    for (std::size_t j = 0; j < i; ++j) difference += matrix.at(i, j) * ux[j];
    for (std::size_t j = 0; j < side; ++j) difference -= input_at(i, j, side) * x[j];
    error += std::abs(difference);
  }
  return error / static_cast<double>(side) / static_cast<double>(side);
}

template <typename Matrix>
bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::size_t side = kSide[options.size];
  Matrix matrix(side / kBlock);
  fill(matrix);

  timer.start();
  factor_in_parallel(matrix, options.threads);
  timer.stop();

  const double error = residual(matrix);
  return {error <= 1e-14, bench::format("side %zu, residual %.2g", side, error)};
}

}  // namespace lu
