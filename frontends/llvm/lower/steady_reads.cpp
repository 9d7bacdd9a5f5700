#include "frontends/llvm/lower/steady_reads.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "frontends/llvm/lower/call_effects.h"

namespace bigfoot::frontend {
namespace {

// Loops that write more than this are not looked at: the cost of asking about each write.
constexpr std::size_t kMostWriters = 64;

// The reads of one location, all of one type.
using Reads = llvm::SmallVector<llvm::LoadInst*, 4>;

bool orders_threads(const llvm::Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
    if (call->isDebugOrPseudoInst() || call->isLifetimeStartOrEnd()) return false;
    const ir::Effects e = call_effects(*call);
    return e.acquires || e.releases;
  }
  return i.isAtomic() || i.isVolatile();
}

class SteadyLoop {
 public:
  SteadyLoop(llvm::Loop& loop, llvm::LoopInfo& loops, llvm::BatchAAResults& aliases)
      : loop_(loop), loops_(loops), aliases_(aliases) {}

  bool run() {
    if (loop_.getLoopPreheader() == nullptr || !collect()) return false;
    bool changed = false;
    for (auto& [place, reads] : found_) {
      if (is_written(reads) || !is_read_in_first_round(reads)) continue;
      read_once(reads);
      changed = true;
    }
    return changed;
  }

 private:
  // False for a loop that orders threads.
  bool collect() {
    for (llvm::BasicBlock* b : loop_.blocks())
      for (llvm::Instruction& i : *b) {
        if (orders_threads(i)) return false;
        if (i.mayWriteToMemory()) writers_.push_back(&i);
        if (writers_.size() > kMostWriters) return false;
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
        if (load != nullptr && may_be_base_or_bound(*load))
          found_[{load->getPointerOperand(), load->getType()}].push_back(load);
      }
    return !found_.empty();
  }

  bool may_be_base_or_bound(const llvm::LoadInst& load) const {
    return (load.getType()->isPointerTy() || load.getType()->isIntegerTy()) && !load.use_empty() &&
           loop_.isLoopInvariant(load.getPointerOperand());
  }

  bool is_written(const Reads& reads) {
    return llvm::any_of(reads, [&](llvm::LoadInst* load) {
      const auto place = llvm::MemoryLocation::get(load);
      return llvm::any_of(writers_, [&](llvm::Instruction* writer) {
        return llvm::isModSet(aliases_.getModRefInfo(writer, place));
      });
    });
  }

  // On every way through the loop's body one of the reads is certain to be reached.
  bool is_read_in_first_round(const Reads& reads) const {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen{loop_.getHeader()};
    llvm::SmallVector<const llvm::BasicBlock*, 16> waiting{loop_.getHeader()};
    while (!waiting.empty()) {
      const llvm::BasicBlock* b = waiting.pop_back_val();
      // A loop on the way must not be one that may go on for ever.
      const llvm::Loop* inner = loops_.getLoopFor(b);
      if (inner != &loop_ && inner->getHeader() == b && !llvm::isMustProgress(inner)) return false;
      bool reached = false;
      for (const llvm::Instruction& i : *b) {
        reached = llvm::is_contained(reads, &i);
        if (reached) break;
        if (!llvm::isGuaranteedToTransferExecutionToSuccessor(&i)) return false;
      }
      if (reached) continue;
      for (const llvm::BasicBlock* next : llvm::successors(b)) {
        if (!loop_.contains(next) || next == loop_.getHeader()) return false;
        if (seen.insert(next).second) waiting.push_back(next);
      }
    }
    return true;
  }

  void read_once(const Reads& reads) {
    llvm::LoadInst* first = reads.front();
    auto* early = llvm::cast<llvm::LoadInst>(first->clone());
    early->dropUnknownNonDebugMetadata();
    early->setDebugLoc(llvm::DebugLoc());
    early->setMetadata(llvm::LLVMContext::MD_nosanitize,
                       llvm::MDNode::get(early->getContext(), {}));
    for (llvm::LoadInst* load : reads)
      early->setAlignment(std::min(early->getAlign(), load->getAlign()));
    early->insertBefore(loop_.getLoopPreheader()->getTerminator()->getIterator());
    for (llvm::LoadInst* load : reads) load->replaceAllUsesWith(early);
  }

  llvm::Loop& loop_;
  llvm::LoopInfo& loops_;
  llvm::BatchAAResults& aliases_;
  llvm::SmallVector<llvm::Instruction*, 16> writers_;
  llvm::MapVector<std::pair<llvm::Value*, llvm::Type*>, Reads> found_;
};

}  // namespace

bool read_steady_values_once(llvm::Function& f, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(f);
  if (loops.empty()) return false;
  auto& aliases = analyses.getResult<llvm::AAManager>(f);
  bool changed = false;
  // Outer loops first: what is steady there is read once for all the loops inside.
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    llvm::BatchAAResults batch(aliases);
    changed |= SteadyLoop(*loop, loops, batch).run();
  }
  if (!changed) return false;
  llvm::PreservedAnalyses kept;
  kept.preserve<llvm::DominatorTreeAnalysis>();
  kept.preserve<llvm::LoopAnalysis>();
  analyses.invalidate(f, kept);
  return true;
}

}  // namespace bigfoot::frontend
