// lu_contiguous: LU factorisation of a dense matrix in blocks, each in memory of its own, behind an
// array of pointers to blocks (the shape of the contiguous LU of SPLASH-2).
//
// The algorithm, its barriers and its owners are in lu_blocks.h. What differs from lu_strided is
// that the rows of a block follow each other: a block is 2 KiB in one piece.
//
// Valid if L (U x) is A x for a scattered vector x, to rounding: A is made again for this, and one
// element of L or U that is wrong moves the product.
//
// The racy variant leaves out the barrier between perimeter and interior: threads subtract products
// of blocks that their owners may still be dividing.
#include <memory>
#include <vector>

#include "bench/programs/classic/lu_blocks.h"

namespace {

class BlockMatrix {
 public:
  explicit BlockMatrix(std::size_t blocks) : side_(blocks), blocks_(blocks * blocks) {
    for (auto& block : blocks_) block = std::make_unique<double[]>(lu::kBlock * lu::kBlock);
  }

  std::size_t blocks() const { return side_; }
  double* block(std::size_t i, std::size_t j) const { return blocks_[i * side_ + j].get(); }
  static constexpr std::size_t stride() { return lu::kBlock; }

  double& at(std::size_t row, std::size_t column) const {
    return block(row / lu::kBlock,
                 column / lu::kBlock)[row % lu::kBlock * lu::kBlock + column % lu::kBlock];
  }

 private:
  std::size_t side_;  // in blocks
  std::vector<std::unique_ptr<double[]>> blocks_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "lu_contiguous", lu::run<BlockMatrix>);
}
