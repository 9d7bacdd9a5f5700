// Atomic instructions become calls of the run time, which performs them and keeps the clocks.
#pragma once

#include "frontends/llvm/entry_points.h"
#include "frontends/llvm/fields/fields.h"

namespace bigfoot::frontend {

// Replaces the instruction. Leaves alone what the run time has no operation for (wider than 16
// bytes).
void instrument_atomic(llvm::Instruction& i, EntryPoints& entries, Fields& fields);

}  // namespace bigfoot::frontend
