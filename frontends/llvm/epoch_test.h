// The same-epoch test in instrumented code: whether the shadow cells of an access show that this
// epoch has done it already.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "frontends/llvm/entry_points.h"

namespace bigfoot::frontend {

// In this order: find_cells(), and behind it one of the others, or both.
class EpochTest {
 public:
  // The cells are those of the plane for `granularity` bytes.
  EpochTest(llvm::IRBuilder<>& at, EntryPoints& entries, llvm::Value* address,
            unsigned granularity);

  // Goes to `absent` where there are no cells, or not all `cells` of them side by side, or the
  // address is not that of a piece, whatever its type says; else on in a new block.
  void find_cells(unsigned cells, llvm::BasicBlock* absent);
  // True if every cell of `cells` shows that this epoch has done such an access already.
  llvm::Value* settled(unsigned cells, bool writes);
  // True if the first cell speaks for `words` words, and shows the same of all of them.
  llvm::Value* group_settled(unsigned words, bool writes);

 private:
  llvm::Value* first_cell();
  void go_on_unless(llvm::Value* condition, llvm::BasicBlock* otherwise);
  llvm::Value* pointer(llvm::Value* cell, unsigned offset);
  llvm::ConstantInt* word(unsigned v);
  llvm::Value* load(llvm::Type* type, llvm::Value* pointer, llvm::Align align);
  llvm::Value* stamp(llvm::Value* cell, unsigned offset, llvm::Type* type);
  // The word that the thread knows in the place of `read`.
  llvm::Value* known(llvm::Value* read);

  llvm::IRBuilder<>& at_;
  EntryPoints& entries_;
  unsigned granularity_;
  llvm::Value* address_ = nullptr;
  llvm::Value* cells_ = nullptr;  // what the cell of an address is counted from
  llvm::Value* thread_ = nullptr;
};

}  // namespace bigfoot::frontend
