// The same-epoch test in instrumented code: whether the shadow cells of an access show that this
// epoch has done it already.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "frontends/llvm/entry_points.h"

namespace bigfoot::frontend {

// In this order: region(), and where it is not zero one of the others, or both.
class EpochTest {
 public:
  // The cells are those of the plane for `granularity` bytes.
  EpochTest(llvm::IRBuilder<>& at, EntryPoints& entries, llvm::Value* address,
            unsigned granularity);

  // Not zero if the region has cells.
  llvm::Value* region();
  // True if every cell of `cells` shows that this epoch has done such an access already.
  llvm::Value* settled(unsigned cells, bool writes);
  // True if the first cell speaks for `words` words, and shows the same of all of them.
  llvm::Value* group_settled(unsigned words, bool writes);

 private:
  llvm::Value* first_cell();
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
  llvm::Value* region_ = nullptr;
  llvm::Value* thread_ = nullptr;
};

}  // namespace bigfoot::frontend
