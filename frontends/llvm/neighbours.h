// Accesses to neighbours that one check can stand for: the copies that unrolling and interleaving
// vector code make of one access of a loop.
//
//   y[i] = ...         y[i], y[i+1]     two stores of 16 bytes side by side, written once
//
// Such a copy is a place of the program of its own, and where arrays have shadows of their own each
// place has its footprints. Joined, the copies are one place again, whose footprint has no gaps.
#pragma once

#include <vector>

#include "frontends/llvm/checks.h"

namespace llvm {
class ScalarEvolution;
}

namespace bigfoot::frontend {

// The checks of all plain accesses but stores to virtual-table pointers, each where its (first)
// access stands. Accesses share one if they follow each other in a block and in memory, with
// nothing in between that synchronises or might not return, and a report would say the same of them
// but for the address: kind, size, position, member.
std::vector<SingleCheck> checks_of_neighbours(llvm::Function& f, const Accesses& found,
                                              Fields& fields, llvm::ScalarEvolution& evolution);

}  // namespace bigfoot::frontend
