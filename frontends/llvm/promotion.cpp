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
  bool read = false;
};
using ByAddress = llvm::MapVector<const Value*, Accesses>;

// Whether a value does not change in the loop, once LICM has moved out what it can. Each is asked
// once: operands are shared.
class SteadyValues {
 public:
  explicit SteadyValues(const Loop& loop) : loop_(loop) {}

  bool contains(const Value* v) {
    if (loop_.isLoopInvariant(v)) return true;
    const auto* i = llvm::dyn_cast<llvm::Instruction>(v);
    if (i == nullptr || llvm::isa<llvm::PHINode>(i) || i->mayReadOrWriteMemory()) return false;
    if (const auto known = known_.find(v); known != known_.end()) return known->second;
    const bool steady = llvm::all_of(i->operands(), [&](const Value* o) { return contains(o); });
    return known_[v] = steady;
  }

 private:
  const Loop& loop_;
  llvm::SmallDenseMap<const Value*, bool, 16> known_;
};

ByAddress accesses_to_steady_addresses(const Loop& loop) {
  ByAddress found;
  SteadyValues steady(loop);
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& i : *block) {
      const Value* address = llvm::getLoadStorePointerOperand(&i);
      if (address == nullptr || !steady.contains(address)) continue;
      Accesses& accesses = found[address];
      accesses.all.push_back(&i);
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
        accesses.store = store;
      else
        accesses.read = true;
    }
  return found;
}

// Whether the program reads the variable in every round, or writes it and never reads: then nothing is
// read ahead that is not read anyway. `is_certain` says whether an access is made in every round.
template <class IsCertain>
bool reads_nothing_more(const Accesses& accesses, IsCertain&& is_certain) {
  return llvm::any_of(accesses.all, [&](const llvm::Instruction* i) {
    return (llvm::isa<llvm::LoadInst>(i) || !accesses.read) && is_certain(i);
  });
}

bool would_read_ahead(const Loop& loop) {
  ByAddress found = accesses_to_steady_addresses(loop);
  found.remove_if([](const auto& entry) { return entry.second.store == nullptr; });
  if (found.empty()) return false;
  llvm::SimpleLoopSafetyInfo safety;
  safety.computeLoopSafetyInfo(&loop);
  // Most loops that count something are one block, for which no dominators are needed.
  const auto is_in_header = [&](const llvm::Instruction* i) {
    return !safety.anyBlockMayThrow() && i->getParent() == loop.getHeader();
  };
  found.remove_if([&](const auto& e) { return reads_nothing_more(e.second, is_in_header); });
  if (found.empty()) return false;
  llvm::Function& f = *loop.getHeader()->getParent();
  llvm::DominatorTree dominators(f);
  llvm::AssumptionCache assumptions(f);
  const llvm::BasicBlock* before = loop.getLoopPreheader();
  const llvm::Instruction* end = before == nullptr ? nullptr : before->getTerminator();
  const auto is_certain = [&](const llvm::Instruction* i) {
    return safety.isGuaranteedToExecute(*i, &dominators, &loop);
  };
  return llvm::any_of(found, [&](const auto& entry) {
    if (reads_nothing_more(entry.second, is_certain)) return false;
    // Who is written in every round can be read ahead.
    const auto& all = entry.second.all;
    if (llvm::any_of(all, is_certain)) return true;
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
