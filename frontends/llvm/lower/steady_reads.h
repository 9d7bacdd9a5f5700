// Reads that a loop repeats although nothing in it can change what they find.
//
// `v[i]` reads v's data pointer each time round. Where the optimiser has left that read in the loop
// (it stands in two branches, say, so that neither is sure to run), each round has a base of its
// own, and accesses through it do not make a range. This pass reads the value once, ahead of the
// loop, for everybody who uses it.
//
// It does what any compiler may do, and no more than that: the location is read in the first round
// whatever happens, nothing in the loop writes it, nothing in the loop orders threads. So the early
// read races with exactly those writes that the first of the repeated ones races with. These stay
// accesses of the program, to be checked and reported where the source has them; the early one is
// not.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bigfoot::frontend {

// True if anything was changed; the graph of blocks never is.
bool read_steady_values_once(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

}  // namespace bigfoot::frontend
