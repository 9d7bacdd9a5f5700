// Checks in the program's code: the inlined same-epoch test and the calls behind it.
#pragma once

#include "frontends/llvm/accesses.h"
#include "frontends/llvm/entry_points.h"

namespace bigfoot::frontend {

// Emits checks before accesses. One for each function; splits blocks.
class CheckEmitter {
 public:
  CheckEmitter(llvm::Function& f, EntryPoints& entries) : function_(f), entries_(entries) {}

  void check(const PlainAccess& access);
  void check(llvm::AnyMemIntrinsic& memory);
  void check(llvm::IntrinsicInst& vector);

 private:
  void inline_check(const PlainAccess& access, unsigned granularity);
  void range_check(llvm::Instruction& before, llvm::Value* address, llvm::Value* bytes,
                   bool writes);

  llvm::Function& function_;
  EntryPoints& entries_;
};

}  // namespace bigfoot::frontend
