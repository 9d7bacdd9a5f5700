// sparse: 200 multiplications of an unstructured sparse matrix by a vector (Java Grande, section 2,
// SparseMatmult).
//
// The matrix is a list of (row, column, value) sorted by row; each thread owns a band of rows and
// so a contiguous run of the list. The list is read in order, the vectors through indices: ranges
// on one side, scattered accesses on the other.
//
// Valid if the weighted sum of the result agrees with the published one to 1e-10 (A, B, C) or with
// the same sum taken matrix element by matrix element (tiny, small).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "bench/programs/common/java_random.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Shape {
  std::size_t rows;
  std::size_t elements;
};

constexpr bench::BySize<Shape> kShape{
    {500, 2'500}, {10'000, 50'000}, {50'000, 250'000}, {100'000, 500'000}, {500'000, 2'500'000}};
constexpr bench::BySize<std::optional<double>> kReferenceSum{
    std::nullopt, std::nullopt, 75.02484945753453, 150.0130719633895, 749.5245870753752};
constexpr int kIterations = 200;

struct Problem {
  std::vector<double> x;
  std::vector<std::uint32_t> row, column;
  std::vector<double> value;
};

Problem random_problem(const Shape& shape) {
  bench::JavaRandom random(10101010);
  const auto index = [&] {
    return static_cast<std::uint32_t>(std::abs(random.next_int()) % static_cast<int>(shape.rows));
  };
  Problem p{std::vector<double>(shape.rows), std::vector<std::uint32_t>(shape.elements),
            std::vector<std::uint32_t>(shape.elements), std::vector<double>(shape.elements)};
  for (double& x : p.x) x = random.next_double() * 1e-6;
  for (std::size_t i = 0; i < shape.elements; ++i) {
    p.row[i] = index();
    p.column[i] = index();
    p.value[i] = random.next_double();
  }
  return p;
}

// Counting sort by row; elements of a row keep their order.
void sort_by_row(Problem& p) {
  std::vector<std::size_t> place(p.x.size() + 1);
  for (std::uint32_t row : p.row) ++place[row + 1];
  for (std::size_t r = 1; r < place.size(); ++r) place[r] += place[r - 1];
  Problem sorted = p;
  for (std::size_t i = 0; i < p.row.size(); ++i) {
    const std::size_t to = place[p.row[i]]++;
    sorted.row[to] = p.row[i];
    sorted.column[to] = p.column[i];
    sorted.value[to] = p.value[i];
  }
  p = std::move(sorted);
}

// The elements whose rows the thread owns.
bench::Range elements_of(const Problem& p, int id, int threads) {
  const auto rows = bench::block_of(0, p.x.size(), id, threads);
  const auto first = [&](std::size_t row) {
    return static_cast<std::size_t>(std::lower_bound(p.row.begin(), p.row.end(), row) -
                                    p.row.begin());
  };
  return {first(rows.begin), first(rows.end)};
}

void multiply(const Problem& p, std::vector<double>& y, int threads) {
  bench::run_team(threads, [&](int id) {
    const auto [begin, end] = elements_of(p, id, threads);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      for (std::size_t i = begin; i < end; ++i) y[p.row[i]] += p.x[p.column[i]] * p.value[i];
    }
  });
}

double weighted_sum(const Problem& p, const std::vector<double>& y) {
  double sum = 0;
  for (std::uint32_t row : p.row) sum += y[row];
  return sum;
}

// The same quantity without forming y: a product adds to the sum once per element in its row.
double expected_sum(const Problem& p) {
  std::vector<double> elements_in_row(p.x.size());
  for (std::uint32_t row : p.row) ++elements_in_row[row];
  double sum = 0;
  for (std::size_t i = 0; i < p.row.size(); ++i) {
    sum += elements_in_row[p.row[i]] * p.x[p.column[i]] * p.value[i];
  }
  return sum * kIterations;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  Problem problem = random_problem(kShape[options.size]);
  sort_by_row(problem);
  std::vector<double> y(problem.x.size());

  timer.start();
  multiply(problem, y, options.threads);
  timer.stop();

  const double sum = weighted_sum(problem, y);
  const auto& published = kReferenceSum[options.size];
  const double expected = published ? *published : expected_sum(problem);
  return {std::abs(sum - expected) <= 1e-10,
          bench::format("%zu elements, sum %.16g", problem.row.size(), sum)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "sparse", run);
}
