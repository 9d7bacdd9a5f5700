// Sweeps over arrays, gone on with inline.
//
// Where arrays have shadows of their own, an access is added to what its place has swept since the
// thread last synchronised, and the planes, which the same-epoch test looks at, know nothing of it:
// it would be a call each time. So a check in a loop looks for the cursor of its place first
// (abi::Cursor), and if the access is the one expected, moves it. One that the place has done in
// this epoch already needs nothing at all.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "frontends/llvm/entry_points.h"

namespace bigfoot::frontend {

// The sites of a module's checks: a byte each, of which nothing but the address matters.
class SweepSites {
 public:
  SweepSites(llvm::Module& module, std::size_t count);

  // One that was not handed out yet. REQUIRES: not more than `count` of them.
  struct Site {
    llvm::Constant* address;
    unsigned cursor;  // its index in the thread's table
  };
  Site next();

 private:
  llvm::GlobalVariable* table_ = nullptr;
  unsigned used_ = 0;
};

// The name of the site's place in the calling context, computed at `at`: anywhere in the function
// behind its entry.
llvm::Value* place_of(llvm::IRBuilder<>& at, EntryPoints& entries, const SweepSites::Site& site);

// Where the test leaves control.
struct SweepExits {
  llvm::BasicBlock* done;     // the cursor has moved, or the access is a repeated one
  llvm::BasicBlock* nothing;  // there is no cursor of the place
  llvm::BasicBlock* other;    // there is one, and it expects another access
};
// Whether the address grows or shrinks with the innermost loop, or stays the same in it.
enum class Following { kLoop, kLoopAround };
// Emits the test of an access to `address` at the end of `at`'s block, which has no terminator.
void emit_sweep_test(llvm::IRBuilder<>& at, EntryPoints& entries, llvm::Value* address,
                     llvm::Value* place, unsigned cursor, Following follows,
                     const SweepExits& exits);

}  // namespace bigfoot::frontend
