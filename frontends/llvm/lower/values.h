// Linear expressions back as LLVM values.
#pragma once

#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend {

class Values {
 public:
  explicit Values(LoweredFunction& f);

  // REQUIRES: every symbol of `e` exists before `before`.
  llvm::Value* integer(const ir::LinearExpr& e, llvm::Instruction& before);
  llvm::Value* address(ir::SymbolId base, const ir::LinearExpr& offset, llvm::Instruction& before);

 private:
  const llvm::SCEV* expression(ir::SymbolId s) const;
  // The symbol's value in the place where it comes to exist, for use after its loop has ended.
  llvm::Value* where_defined(ir::SymbolId s);

  LoweredFunction& f_;
  llvm::SCEVExpander expander_;
  llvm::DenseMap<unsigned, llvm::Value*> outlived_;
};

}  // namespace bigfoot::frontend
