#include "frontends/llvm/lower/call_effects.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace bigfoot::frontend {
namespace {

enum class Known { Quiet, EndsMemory };

std::optional<Known> find_known(const llvm::Function& f) {
  static const llvm::StringMap<Known> table = {
#define BF_QUIET(name) {#name, Known::Quiet},
#define BF_ENDS(name) {#name, Known::EndsMemory},
#include "frontends/llvm/lower/known_calls.def"
#undef BF_QUIET
#undef BF_ENDS
  };
  // A body in the program replaces the library's function of that name.
  if (!f.isDeclaration()) return std::nullopt;
  const auto it = table.find(f.getName());
  return it == table.end() ? std::nullopt : std::optional(it->second);
}

// An acquire that orders nothing stands for "no check may wait longer than this".
ir::Effects barrier_for_checks() {
  ir::Effects e;
  e.acquires = true;
  return e;
}

ir::Effects anything() {
  ir::Effects e;
  e.acquires = e.releases = e.may_not_return = e.modifies_everything = true;
  return e;
}

ir::Effects intrinsic_effects(const llvm::IntrinsicInst& i) {
  if (i.getIntrinsicID() == llvm::Intrinsic::lifetime_end) return barrier_for_checks();
  if (i.hasFnAttr(llvm::Attribute::NoSync) || i.doesNotAccessMemory() ||
      i.isAssumeLikeIntrinsic()) {
    ir::Effects e;
    e.modifies_everything = i.mayWriteToMemory();
    e.may_not_return = !i.willReturn();
    return e;
  }
  switch (i.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memmove:
    case llvm::Intrinsic::memset:
    case llvm::Intrinsic::memcpy_inline:
    case llvm::Intrinsic::memset_inline: {
      ir::Effects e;
      e.modifies_everything = true;
      return e;
    }
    default:
      return anything();
  }
}

}  // namespace

ir::Effects call_effects(const llvm::CallBase& call) {
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return intrinsic_effects(*intrinsic);
  if (call.isMustTailCall() || call.hasFnAttr(llvm::Attribute::ReturnsTwice)) return anything();
  ir::Effects e;
  e.modifies_everything = call.mayWriteToMemory();
  if (const llvm::Function* f = call.getCalledFunction()) {
    if (const auto known = find_known(*f)) {
      e.acquires = known == Known::EndsMemory;
      return e;
    }
  }
  // noreturn, possible endless loops and unwinding past us all keep control from coming back.
  e.may_not_return = !call.hasFnAttr(llvm::Attribute::WillReturn) ||
                     (!call.doesNotThrow() && !llvm::isa<llvm::InvokeInst>(call));
  const bool quiet = call.hasFnAttr(llvm::Attribute::NoSync) || call.doesNotAccessMemory();
  // Freed memory is found by attribute as well: what may free must not overtake a check.
  const bool frees = !call.hasFnAttr(llvm::Attribute::NoFree) && call.mayWriteToMemory();
  e.acquires = !quiet || frees;
  e.releases = !quiet;
  return e;
}

bool touches_nothing_shared(const llvm::CallBase& call) {
  const ir::Effects e = call_effects(call);
  if (e.acquires || e.releases || e.may_not_return) return false;
  if (call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory()) return true;
  // A library function reaches the program's memory by its arguments alone.
  const llvm::Function* f = call.getCalledFunction();
  if (f == nullptr || !find_known(*f)) return false;
  for (const llvm::Use& a : call.args())
    if (a->getType()->isPointerTy()) return false;
  return true;
}

std::string callee_name(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return "inline assembly";
  if (const llvm::Function* f = call.getCalledFunction()) return llvm::demangle(f->getName().str());
  return "a function pointer";
}

}  // namespace bigfoot::frontend
