// Eigen: threads share the rows of a matrix product and then solve least-squares problems on blocks
// of it.
//
// Eigen's kernels are vectorised by hand: wide loads and stores of shared arrays. Valid if the
// product agrees with A (B x) for a random x (Freivalds' test) and every least-squares residual is
// orthogonal to its columns.
#include <Eigen/Dense>
#include <atomic>
#include <cmath>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<int> kOrder{48, 192, 512, 1'024, 2'048};
constexpr int kBlock = 24;

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(int rows, int columns, std::uint64_t seed) {
  bench::Random random(seed);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return 2 * random.unit() - 1; });
}

bool product_is_right(const MatrixXd& a, const MatrixXd& b, const MatrixXd& c) {
  const VectorXd x = random_matrix(static_cast<int>(b.cols()), 1, 3);
  const VectorXd expected = a * (b * x);
  return (c * x - expected).norm() <= 1e-12 * static_cast<double>(a.cols()) * expected.norm();
}

// Fits the last column of a block of rows by the others; false if the residual is not orthogonal to
// them.
bool fit_block(const Eigen::Ref<const MatrixXd>& rows) {
  const auto inputs = rows.leftCols(kBlock / 2);
  const VectorXd wanted = rows.col(rows.cols() - 1);
  const VectorXd fit = inputs.householderQr().solve(wanted);
  const VectorXd residual = wanted - inputs * fit;
  return (inputs.transpose() * residual).norm() <= 1e-9 * inputs.norm() * wanted.norm();
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const int order = kOrder[options.size];
  const MatrixXd a = random_matrix(order, order, 1), b = random_matrix(order, order, 2);
  MatrixXd c(order, order);
  std::atomic<int> next_block{0};
  std::atomic<bool> fits{true};

  timer.start();
  bench::run_team(options.threads, [&](int id) {
    const auto [begin, end] =
        bench::block_of(0, static_cast<std::size_t>(order), id, options.threads);
    if (begin == end) return;
    const auto first = static_cast<Eigen::Index>(begin),
               count = static_cast<Eigen::Index>(end - begin);
    c.middleRows(first, count).noalias() = a.middleRows(first, count) * b;
  });
  bench::run_team(options.threads, [&](int) {
    for (int block; (block = next_block.fetch_add(1)) < order / kBlock;) {
      if (!fit_block(c.middleRows(block * kBlock, kBlock))) fits = false;
    }
  });
  timer.stop();

  return {fits && product_is_right(a, b, c), bench::format("order %d", order)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "eigen", run);
}
