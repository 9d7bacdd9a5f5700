#include "frontends/llvm/library_calls.h"

#include <llvm/IR/Module.h>

namespace bigfoot::frontend {
namespace {

struct Wrapper {
  llvm::StringRef library;
  llvm::StringRef run_time;
};
constexpr Wrapper kWrappers[] = {
#define BF_LIBRARY_WRAPPER(name) {#name, "__bf_" #name},
#include "abi/library_wrappers.def"
#undef BF_LIBRARY_WRAPPER
};

}  // namespace

void redirect_library_call(llvm::CallBase& call) {
  llvm::Function* callee = call.getCalledFunction();
  if (!callee->isDeclaration()) return;  // the program's own function of that name
  for (const Wrapper& w : kWrappers) {
    if (callee->getName() != w.library) continue;
    llvm::FunctionCallee to =
        callee->getParent()->getOrInsertFunction(w.run_time, callee->getFunctionType());
    call.setCalledFunction(to);
    return;
  }
}

}  // namespace bigfoot::frontend
