// LLVM functions as the placement core's abstract programs.
#pragma once

#include <llvm/IR/PassManager.h>

#include <memory>
#include <vector>

#include "frontends/llvm/accesses.h"
#include "frontends/llvm/lower/symbols.h"

namespace bigfoot::frontend {

// One function, lowered, with the way back from the abstract program to the instructions.
struct LoweredFunction {
  llvm::Function* function = nullptr;
  llvm::DominatorTree* dominators = nullptr;
  llvm::LoopInfo* loops = nullptr;
  llvm::ScalarEvolution* scev = nullptr;

  // The plain accesses the placement answers for, by AccessId.
  std::vector<PlainAccess> accesses;
  std::vector<ir::Path> paths;  // by AccessId
  std::unique_ptr<Symbols> symbols;
  // By BlockId, after unreachable blocks are gone.
  std::vector<llvm::BasicBlock*> blocks;
  // What a check before instruction i of a block stands before; by BlockId, then index.
  std::vector<std::vector<llvm::Instruction*>> instructions;
  // The number of times each loop goes round, where its only way out is counted.
  llvm::DenseMap<const llvm::Loop*, ir::LinearExpr> trip_ends;

  llvm::Instruction* instruction_at(ir::BlockId block, std::size_t index) const;
};

// Which functions of the module the analysis may look into when they are called.
using FunctionIds = llvm::DenseMap<const llvm::Function*, ir::FunctionId>;

struct LoweringResult {
  ir::Function abstract;
  LoweredFunction concrete;
};

// False for control flow the abstract program has no words for; such functions are checked access
// by access.
bool can_be_lowered(const llvm::Function& f);

LoweringResult lower(llvm::Function& f, std::vector<PlainAccess> accesses, const FunctionIds& ids,
                     llvm::FunctionAnalysisManager& analyses);

}  // namespace bigfoot::frontend
