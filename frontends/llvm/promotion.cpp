#include "frontends/llvm/promotion.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/Loads.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MustExecute.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Support/CommandLine.h>

namespace bigfoot::frontend {
namespace {

using llvm::Loop;
using llvm::Value;

// Accesses of a loop to one address.
struct Accesses {
  llvm::SmallVector<llvm::Instruction*, 4> all;
  llvm::StoreInst* store = nullptr;
};
using ByAddress = llvm::MapVector<const Value*, Accesses>;

// Whether `v` does not change in the loop, once LICM has moved out what it can.
bool is_steady(const Value* v, const Loop& loop) {
  if (loop.isLoopInvariant(v)) return true;
  const auto* i = llvm::dyn_cast<llvm::Instruction>(v);
  if (i == nullptr || llvm::isa<llvm::PHINode>(i) || i->mayReadOrWriteMemory()) return false;
  return llvm::all_of(i->operands(), [&](const Value* o) { return is_steady(o, loop); });
}

ByAddress accesses_to_steady_addresses(const Loop& loop) {
  ByAddress found;
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& i : *block) {
      const Value* address = llvm::getLoadStorePointerOperand(&i);
      if (address == nullptr || !is_steady(address, loop)) continue;
      Accesses& accesses = found[address];
      accesses.all.push_back(&i);
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) accesses.store = store;
    }
  return found;
}

bool would_read_ahead(const Loop& loop) {
  ByAddress found = accesses_to_steady_addresses(loop);
  found.remove_if([](const auto& entry) { return entry.second.store == nullptr; });
  if (found.empty()) return false;
  llvm::Function& f = *loop.getHeader()->getParent();
  llvm::DominatorTree dominators(f);
  llvm::AssumptionCache assumptions(f);
  llvm::SimpleLoopSafetyInfo safety;
  safety.computeLoopSafetyInfo(&loop);
  const llvm::BasicBlock* before = loop.getLoopPreheader();
  const llvm::Instruction* end = before == nullptr ? nullptr : before->getTerminator();
  return llvm::any_of(found, [&](const auto& entry) {
    const auto is_certain = [&](const llvm::Instruction* i) {
      return safety.isGuaranteedToExecute(*i, &dominators, &loop);
    };
    if (llvm::any_of(entry.second.all, is_certain)) return false;
    const llvm::StoreInst& store = *entry.second.store;
    return llvm::isDereferenceablePointer(store.getPointerOperand(),
                                          store.getValueOperand()->getType(), f.getDataLayout(),
                                          end, &assumptions, &dominators);
  });
}

}  // namespace

void do_not_read_ahead_of_loops(llvm::PassInstrumentationCallbacks& callbacks) {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find("disable-licm-promotion");
  if (found == options.end() || found->second->getNumOccurrences() > 0) return;
  auto* off = static_cast<llvm::cl::opt<bool>*>(found->second);
  callbacks.registerShouldRunOptionalPassCallback([off](llvm::StringRef pass, llvm::Any ir) {
    if (pass != "LICMPass") return true;
    const auto* loop = llvm::any_cast<const Loop*>(&ir);
    off->setValue(loop != nullptr &&
                  (*loop)->getHeader()->getParent()->hasFnAttribute(
                      llvm::Attribute::SanitizeThread) &&
                  would_read_ahead(**loop));
    return true;
  });
}

}  // namespace bigfoot::frontend
