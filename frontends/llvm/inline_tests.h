// The same-epoch test, inlined where it pays.
//
// Every check leaves the placing passes as one call. The run time's function tests and, if the test
// does not settle the access, does it. Such a call is next to nothing for the optimiser and the
// code generator, while an inlined test is four blocks and fifteen instructions. At the very end of
// the pipeline, calls that stand in loops get their test inlined; elsewhere the call is as good.
// (LevelDB's version_set.cc with all tests inlined before the loop passes took twice the time of
// ThreadSanitizer's to compile, and three times the code.)
#pragma once

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace bigfoot::frontend {

// The bytes that `read_check` reads are certainly written next, at `write`: the slow side of its
// inlined test may try both accesses as one step.
void note_update(llvm::CallInst& read_check, const llvm::DebugLoc& write);

// Where in a function; and whether checks in loops look for cursors first (sweep_test.h).
enum class InlineTests { Everywhere, EverywhereWithSweeps, HotLoops };
// Once, when the pass comes to it.
void let_tests_be_inlined(llvm::Function& f, InlineTests where);

class InlineTestsPass : public llvm::PassInfoMixin<InlineTestsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace bigfoot::frontend
