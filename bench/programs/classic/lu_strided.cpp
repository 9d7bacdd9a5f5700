// lu_strided: LU factorisation of a dense matrix in blocks of one array in row-major order (the
// shape of the non-contiguous LU of SPLASH-2).
//
// The algorithm, its barriers and its owners are in lu_blocks.h. What differs from lu_contiguous is
// that the rows of a block lie as far apart as those of the matrix: a thread writes runs of 16
// elements between the runs of others.
//
// Valid if L (U x) is A x for a scattered vector x, to rounding: A is made again for this, and one
// element of L or U that is wrong moves the product.
#include <vector>

#include "bench/programs/classic/lu_blocks.h"

namespace {

class RowMatrix {
 public:
  explicit RowMatrix(std::size_t blocks) : side_(blocks * lu::kBlock), elements_(side_ * side_) {}

  std::size_t blocks() const { return side_ / lu::kBlock; }
  double* block(std::size_t i, std::size_t j) { return &at(i * lu::kBlock, j * lu::kBlock); }
  std::size_t stride() const { return side_; }

  double& at(std::size_t row, std::size_t column) { return elements_[row * side_ + column]; }
  double at(std::size_t row, std::size_t column) const { return elements_[row * side_ + column]; }

 private:
  std::size_t side_;  // in elements
  std::vector<double> elements_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "lu_strided", lu::run<RowMatrix>);
}
