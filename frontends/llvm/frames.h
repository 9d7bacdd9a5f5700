// The shadow call stack: one frame for each function that is running, and below that of a function
// that may call itself a mark (abi/layout.h).
#pragma once

#include "frontends/llvm/entry_points.h"

namespace bigfoot::frontend {

// A function's frame. Pushed on construction, while the entry block is still in one piece; closed
// when the checks are in, because a check before a return still belongs to the function.
class Frame {
 public:
  // From here on the function is not inlined: what it pushes is the address it returns to, which
  // would be its caller's.
  Frame(llvm::Function& f, EntryPoints& entries);
  // Pops it on every way out. Nothing is done on the way of an exception: whoever catches it puts
  // its own frame back, and so does a function that setjmp returns into again.
  void close();

 private:
  llvm::Value* push_mark(llvm::IRBuilder<>& at, llvm::Value* entered);
  llvm::Value* load(llvm::IRBuilder<>& at, llvm::Value* p, int bytes);
  llvm::Value* slot(llvm::IRBuilder<>& at);
  void put(llvm::Instruction& before, llvm::Value* frame);

  llvm::Function& function_;
  EntryPoints& entries_;
  llvm::Value* caller_ = nullptr;
  llvm::Value* own_ = nullptr;
};

}  // namespace bigfoot::frontend
