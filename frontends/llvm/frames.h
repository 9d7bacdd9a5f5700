// The shadow call stack: a frame pushed at entry, popped at every way out.
#pragma once

#include "frontends/llvm/entry_points.h"

namespace bigfoot::frontend {

// Nothing is done on the way of an exception: whoever catches it puts its own frame back, and so
// does a function that setjmp returns into again.
void maintain_frame(llvm::Function& f, EntryPoints& entries);

}  // namespace bigfoot::frontend
