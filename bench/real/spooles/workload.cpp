// SPOOLES: its threads factor a sparse symmetric matrix and solve for some right-hand sides.
//
// The matrix is that of the differences between neighbours on a cube of points. Its factor is a
// tree of dense fronts; a thread that has eliminated one leaves what its parent needs in a list
// under a lock. Valid if the residual of each solution is that of rounding.
#include <math.h>  // SPOOLES includes these, and they cannot be inside extern "C"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/real/common/scratch_folder.h"

extern "C" {
#include "MT/spoolesMT.h"
#include "SymbFac.h"
#include "misc.h"
}

namespace {

constexpr bench::BySize<int> kPointsOfSide{5, 12, 20, 28, 40};
constexpr int kRightHandSides = 8;
constexpr double kTolerance = 1e-10;

// What SPOOLES' own drivers use, for smaller matrices.
constexpr int kLargestDomain = 64;
constexpr int kZerosForMerging = 256;
constexpr int kLargestFront = 32;
constexpr int kSeed = 1;
constexpr int kQuiet = 0;  // what SPOOLES says as it goes along

// An object of SPOOLES with what frees it.
template <auto Free>
struct Freeing {
  void operator()(auto* object) const { Free(object); }
};
template <typename Object, auto Free>
using Owned = std::unique_ptr<Object, Freeing<Free>>;

using ChvManagerPointer = Owned<ChvManager, &ChvManager_free>;
using DenseMtxPointer = Owned<DenseMtx, &DenseMtx_free>;
using ETreePointer = Owned<ETree, &ETree_free>;
using FrontMtxPointer = Owned<FrontMtx, &FrontMtx_free>;
using GraphPointer = Owned<Graph, &Graph_free>;
using IVPointer = Owned<IV, &IV_free>;
using IVLPointer = Owned<IVL, &IVL_free>;
using InpMtxPointer = Owned<InpMtx, &InpMtx_free>;
using SolveMapPointer = Owned<SolveMap, &SolveMap_free>;
using SubMtxManagerPointer = Owned<SubMtxManager, &SubMtxManager_free>;

// The points of a cube, numbered line by line, and the matrix of their differences.
class Cube {
 public:
  explicit Cube(int side) : side_(side) {}

  int points() const { return side_ * side_ * side_; }

  // Calls use(i, j, value) for each entry of the upper triangle.
  template <typename Use>
  void for_each_entry(const Use& use) const {
    int point = 0;
    for (int z = 0; z < side_; ++z) {
      for (int y = 0; y < side_; ++y) {
        for (int x = 0; x < side_; ++x, ++point) {
          use(point, point, 6.5);
          if (x + 1 < side_) use(point, point + 1, -1.0);
          if (y + 1 < side_) use(point, point + side_, -1.0);
          if (z + 1 < side_) use(point, point + side_ * side_, -1.0);
        }
      }
    }
  }

  InpMtxPointer matrix() const {
    InpMtxPointer matrix(InpMtx_new());
    InpMtx_init(matrix.get(), INPMTX_BY_ROWS, SPOOLES_REAL, 4 * points(), 0);
    for_each_entry(
        [&](int i, int j, double value) { InpMtx_inputRealEntry(matrix.get(), i, j, value); });
    InpMtx_changeStorageMode(matrix.get(), INPMTX_BY_VECTORS);
    return matrix;
  }

  // The largest entry of right - A solution.
  double residual(const double* solution, const double* right) const {
    std::vector<double> rest(right, right + points());
    for_each_entry([&](int i, int j, double value) {
      rest[static_cast<std::size_t>(i)] -= value * solution[j];
      if (i != j) rest[static_cast<std::size_t>(j)] -= value * solution[i];
    });
    double largest = 0;
    for (double entry : rest) largest = std::fmax(largest, std::fabs(entry));
    return largest;
  }

 private:
  const int side_;
};

DenseMtxPointer dense(int rows) {
  DenseMtxPointer matrix(DenseMtx_new());
  DenseMtx_init(matrix.get(), SPOOLES_REAL, 0, 0, rows, kRightHandSides, 1, rows);
  DenseMtx_zero(matrix.get());
  return matrix;
}

// The tree of fronts that a nested dissection of the matrix's graph leads to.
ETreePointer fronts_of(InpMtx* matrix, int points) {
  GraphPointer graph(Graph_new());
  IVL* const neighbours = InpMtx_fullAdjacency(matrix);  // the graph's from here on
  const int edges = IVL_tsize(neighbours);
  Graph_init2(graph.get(), 0, points, 0, edges, points, edges, neighbours, nullptr, nullptr);
  ETree* const fine = orderViaND(graph.get(), kLargestDomain, kSeed, kQuiet, stderr);
  // Merges small fronts and splits large ones; the tree it is given is freed.
  return ETreePointer(ETree_transform(fine, nullptr, kZerosForMerging, kLargestFront, kSeed));
}

// The steps of the example MT/drivers/allInOneMT.c, in its order.
class Solver {
 public:
  Solver(const Cube& cube, int threads)
      : matrix_(cube.matrix()), fronts_(fronts_of(matrix_.get(), cube.points())) {
    old_to_new_.reset(ETree_oldToNewVtxPerm(fronts_.get()));
    new_to_old_.reset(ETree_newToOldVtxPerm(fronts_.get()));
    int* const permutation = IV_entries(old_to_new_.get());
    ETree_permuteVertices(fronts_.get(), old_to_new_.get());
    InpMtx_permute(matrix_.get(), permutation, permutation);
    InpMtx_mapToUpperTriangle(matrix_.get());
    InpMtx_changeCoordType(matrix_.get(), INPMTX_BY_CHEVRONS);
    InpMtx_changeStorageMode(matrix_.get(), INPMTX_BY_VECTORS);
    structure_.reset(SymbFac_initFromInpMtx(fronts_.get(), matrix_.get()));
    threads_ = std::min(threads, ETree_nfront(fronts_.get()));
    share_out_fronts();
  }

  void factor() {
    SubMtxManager_init(parts_.get(), LOCK_IN_PROCESS, 0);
    FrontMtx_init(factor_.get(), fronts_.get(), structure_.get(), SPOOLES_REAL, SPOOLES_SYMMETRIC,
                  FRONTMTX_DENSE_FRONTS, SPOOLES_NO_PIVOTING, LOCK_IN_PROCESS, 0, nullptr,
                  parts_.get(), kQuiet, stderr);
    const ChvManagerPointer updates(ChvManager_new());
    ChvManager_init(updates.get(), LOCK_IN_PROCESS, 1);
    int error = -1;
    double seconds[10] = {};
    int statistics[20] = {};
    const Chv* const rest =
        FrontMtx_MT_factorInpMtx(factor_.get(), matrix_.get(), 100.0, 0.0, updates.get(),
                                 owners_.get(), 0, &error, seconds, statistics, kQuiet, stderr);
    bench::require(rest == nullptr && error < 0, "FrontMtx_MT_factorInpMtx");
    FrontMtx_postProcess(factor_.get(), kQuiet, stderr);
  }

  // Leaves right in the order of the factor.
  void solve(DenseMtx* right, DenseMtx* solution) {
    const SolveMapPointer map(SolveMap_new());
    SolveMap_ddMap(map.get(), SPOOLES_SYMMETRIC, FrontMtx_upperBlockIVL(factor_.get()),
                   FrontMtx_lowerBlockIVL(factor_.get()), threads_, owners_.get(),
                   FrontMtx_frontTree(factor_.get()), kSeed, kQuiet, stderr);
    DenseMtx_permuteRows(right, old_to_new_.get());
    double seconds[10] = {};
    FrontMtx_MT_solve(factor_.get(), solution, right, parts_.get(), map.get(), seconds, kQuiet,
                      stderr);
    DenseMtx_permuteRows(solution, new_to_old_.get());
  }

 private:
  void share_out_fronts() {
    const Owned<DV, &DV_free> work(DV_new());
    DV_init(work.get(), threads_, nullptr);
    owners_.reset(ETree_ddMap(fronts_.get(), SPOOLES_REAL, SPOOLES_SYMMETRIC, work.get(),
                              1.0 / (2 * threads_)));
  }

  InpMtxPointer matrix_;
  ETreePointer fronts_;
  IVPointer old_to_new_, new_to_old_, owners_;
  IVLPointer structure_;
  int threads_ = 1;
  SubMtxManagerPointer parts_{SubMtxManager_new()};
  FrontMtxPointer factor_{FrontMtx_new()};
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Cube cube(kPointsOfSide[options.size]);
  Solver solver(cube, options.threads);
  const DenseMtxPointer right = dense(cube.points()), solution = dense(cube.points());
  bench::Random random(1);
  double* const entries = DenseMtx_entries(right.get());
  for (int i = 0; i < cube.points() * kRightHandSides; ++i) entries[i] = 2 * random.unit() - 1;
  const std::vector<double> original(entries, entries + cube.points() * kRightHandSides);

  timer.start();
  solver.factor();
  solver.solve(right.get(), solution.get());
  timer.stop();

  double residual = 0;
  for (int column = 0; column < kRightHandSides; ++column) {
    const int first = column * cube.points();
    residual = std::fmax(
        residual, cube.residual(DenseMtx_entries(solution.get()) + first, original.data() + first));
  }
  return {residual <= kTolerance,
          bench::format("%d unknowns, residual %.1e", cube.points(), residual),
          bench::kByOrderOfThreads};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "spooles", run);
}
