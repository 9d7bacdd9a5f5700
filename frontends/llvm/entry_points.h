// The run time's functions and variables as declarations in a module, from abi/*.def.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace bigfoot::frontend {

// Each access of the module waits for its check, because the check may end in a data-race
// exception: no optimisation moves an access past a check. Of linked modules all do if one does.
void let_checks_come_first(llvm::Module& module);

class EntryPoints {
 public:
  explicit EntryPoints(llvm::Module& module);

  // A function of abi/entry_points.def, by its name there.
  llvm::FunctionCallee get(llvm::StringRef name);
  // Calls it with the convention the table gives it.
  llvm::CallInst* call(llvm::IRBuilder<>& at, llvm::StringRef name,
                       llvm::ArrayRef<llvm::Value*> arguments);
  // __bf_atomic<bits>_<operation>.
  llvm::FunctionCallee atomic(unsigned bits, llvm::StringRef operation, llvm::FunctionType* type);

  llvm::GlobalVariable* thread() { return thread_; }      // __bf_thread
  llvm::GlobalVariable* counters();                       // __bf_counters
  llvm::GlobalVariable* directory(unsigned granularity);  // __bf_shadow_<g>
  llvm::GlobalVariable* paused();                         // __bf_paused
  llvm::IntegerType* word_type() { return llvm::Type::getInt64Ty(module_.getContext()); }

 private:
  llvm::GlobalVariable* thread_variable(llvm::StringRef name, std::size_t bytes);

  llvm::Module& module_;
  llvm::GlobalVariable* thread_;
};

}  // namespace bigfoot::frontend
