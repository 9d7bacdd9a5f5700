#include "frontends/llvm/lower/lowering.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>

#include "frontends/llvm/lower/call_effects.h"

namespace bigfoot::frontend {
namespace {

using ir::Atom;
using ir::BlockId;
using ir::LinearExpr;

bool acquires(llvm::AtomicOrdering o) {
  return llvm::isAcquireOrStronger(o);
}
bool releases(llvm::AtomicOrdering o) {
  return llvm::isReleaseOrStronger(o);
}

// The strongest order an atomic instruction may have.
std::pair<bool, bool> acquire_release(const llvm::Instruction& i) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
    return {acquires(load->getOrdering()),
            load->getOrdering() == llvm::AtomicOrdering::SequentiallyConsistent};
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
    return {store->getOrdering() == llvm::AtomicOrdering::SequentiallyConsistent,
            releases(store->getOrdering())};
  if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
    return {acquires(rmw->getOrdering()), releases(rmw->getOrdering())};
  if (const auto* cas = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
    return {acquires(cas->getSuccessOrdering()) || acquires(cas->getFailureOrdering()),
            releases(cas->getSuccessOrdering())};
  if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&i))
    return {acquires(fence->getOrdering()), releases(fence->getOrdering())};
  return {true, true};
}

bool leads_to_shared_landing_pad(const llvm::CallBase& call) {
  const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  return invoke != nullptr && !invoke->getUnwindDest()->hasNPredecessors(1);
}

class Lowering {
 public:
  Lowering(llvm::Function& f, std::vector<PlainAccess> accesses, const FunctionIds& ids,
           llvm::FunctionAnalysisManager& analyses)
      : function_(f),
        ids_(ids),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(f)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(f)),
        scev_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(f)),
        builder_(f.getName().str()) {
    result_.function = &f;
    result_.dominators = &dominators_;
    result_.loops = &loops_;
    result_.scev = &scev_;
    result_.accesses = std::move(accesses);
  }

  LoweringResult run() {
    number_blocks();
    result_.symbols =
        std::make_unique<Symbols>(function_, scev_, dominators_, loops_, builder_, blocks_);
    locate_accesses();
    describe_loops();
    describe_conditions();
    result_.symbols->finish();
    index_definitions();
    for (llvm::BasicBlock* b : order_) lower_block(*b);
    return finish();
  }

 private:
  void number_blocks() {
    for (llvm::BasicBlock* b : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
      blocks_[b] = order_.empty() ? ir::kEntry : builder_.new_block();
      order_.push_back(b);
    }
    written_.resize(order_.size());
  }

  void locate_accesses() {
    for (std::size_t i = 0; i < result_.accesses.size(); ++i) {
      const PlainAccess& a = result_.accesses[i];
      const Symbols::Location at = result_.symbols->location(a.address, *a.instruction);
      ir::Path path{at.base, ir::Space::Elements, bytes_of(a, at.offset)};
      if (!path.range.valid())
        path = {result_.symbols->base(a.address), ir::Space::Elements, bytes_of(a, LinearExpr(0))};
      result_.paths.push_back(path);
      accesses_of_[a.instruction].push_back(i);
    }
  }

  ir::Range bytes_of(const PlainAccess& a, const LinearExpr& begin) {
    if (a.length == nullptr) return logic::block(begin, a.bytes);
    const LinearExpr end = begin + result_.symbols->length(a.length, *a.instruction);
    return logic::make_range(begin, end, 1, 1);
  }

  // Facts about loop counters on the edges that leave or stay, from exit counts.
  void describe_loops() {
    for (llvm::Loop* loop : loops_.getLoopsInPreorder()) {
      llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
      loop->getExitingBlocks(exiting);
      bool ends = waits_for_nobody(*loop);
      for (llvm::BasicBlock* b : exiting) ends |= describe_exit(*loop, *b, exiting.size() == 1);
      // Finite may still be long. Where others can watch it go round, they may end the program
      // before.
      builder_.hint_loop(blocks_.lookup(loop->getHeader()), ends, can_be_watched(*loop));
    }
  }

  // A loop that touches nothing another thread could touch. The language lets it be assumed to end
  // (mustprogress), and whether it does is not up to anybody else: no race can keep it going, so
  // none is kept from being reported by waiting for its end.
  bool waits_for_nobody(const llvm::Loop& loop) {
    if (!llvm::isMustProgress(&loop)) return false;
    for (const llvm::BasicBlock* b : loop.blocks())
      for (const llvm::Instruction& i : *b)
        if (!is_private(i)) return false;
    return true;
  }
  bool is_private(const llvm::Instruction& i) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
      return call->isDebugOrPseudoInst() || touches_nothing_shared(*call);
    if (i.isAtomic() || i.isVolatile()) return false;
    const llvm::Value* address = llvm::getLoadStorePointerOperand(&i);
    return address == nullptr ? !i.mayReadOrWriteMemory() : !shared_.may_be_shared(address);
  }

  static bool can_be_watched(const llvm::Loop& loop) {
    for (const llvm::BasicBlock* b : loop.blocks())
      for (const llvm::Instruction& i : *b)
        if (i.isAtomic() || i.isVolatile()) return true;
    return false;
  }

  bool describe_exit(llvm::Loop& loop, llvm::BasicBlock& exiting, bool only) {
    const llvm::BasicBlock* latch = loop.getLoopLatch();
    if (latch == nullptr || !dominators_.dominates(&exiting, latch)) return false;
    const llvm::SCEV* count = scev_.getExitCount(&loop, &exiting);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(count)) return false;
    const auto end = result_.symbols->exit_count(count, &loop);
    if (!end) return false;
    const LinearExpr k = result_.symbols->counter(&loop);
    for (const llvm::BasicBlock* s : llvm::successors(&exiting)) {
      auto& facts = facts_[{&exiting, s}];
      if (loop.contains(s))
        facts.push_back(Atom::less(k, *end));
      else
        facts.push_back(Atom::equal(k, *end));
      if (loop.contains(s)) continue;
      for (const auto& [induction, step] : result_.symbols->inductions(&loop))
        facts.push_back(Atom::equal(induction, result_.symbols->total(&loop, step, count)));
    }
    if (only) result_.trip_ends[&loop] = *end;
    return true;
  }

  void describe_conditions() {
    for (llvm::BasicBlock* b : order_) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(b->getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      if (branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
      for (unsigned side : {0u, 1u}) {
        auto& facts = facts_[{b, branch->getSuccessor(side)}];
        for (Atom& a : result_.symbols->condition(branch->getCondition(), side == 0, b))
          facts.push_back(std::move(a));
      }
    }
  }

  void index_definitions() {
    for (const Definition& d : result_.symbols->definitions()) {
      if (d.after == nullptr)
        at_start_[d.block].push_back(d.symbol);
      else
        after_[d.after].push_back(d.symbol);
    }
  }

  void add(ir::Instruction instruction, llvm::Instruction& before) {
    builder_.add(std::move(instruction));
    written_[index_of(builder_.block())].push_back(&before);
  }

  void lower_block(llvm::BasicBlock& b) {
    builder_.set_block(blocks_.lookup(&b));
    llvm::Instruction& first = *b.getFirstInsertionPt();
    for (ir::SymbolId s : at_start_.lookup(&b)) add(ir::Opaque{s}, first);
    for (llvm::Instruction& i : b) {
      const auto own = result_.symbols->find(&i);
      const bool defined = lower_instruction(i, own);
      llvm::Instruction& next = i.isTerminator() ? i : *i.getNextNode();
      for (ir::SymbolId s : after_.lookup(&i))
        if (!defined || s != own) add(ir::Opaque{s}, next);
    }
    builder_.terminate(terminator(*b.getTerminator()));
  }

  // True if the instruction defines `own` in the abstract program.
  bool lower_instruction(llvm::Instruction& i, std::optional<ir::SymbolId> own) {
    if (llvm::isa<llvm::PHINode>(i)) return true;
    if (const auto it = accesses_of_.find(&i); it != accesses_of_.end()) {
      for (std::size_t n : it->second) {
        const PlainAccess& a = result_.accesses[n];
        const ir::AccessId id =
            builder_.access(a.writes ? ir::AccessKind::Write : ir::AccessKind::Read,
                            result_.paths[n], ir::MemoryClass{}, own);
        written_[index_of(builder_.block())].push_back(&i);
        access_order_.emplace_back(id, n);
      }
      return true;
    }
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return lower_call(*call, own);
    if (i.isAtomic()) lower_atomic(i);
    return false;
  }

  void lower_atomic(llvm::Instruction& i) {
    if (const auto scope = llvm::getAtomicSyncScopeID(&i); scope == llvm::SyncScope::SingleThread)
      return;
    const auto [acquire, release] = acquire_release(i);
    if (release) add(ir::Release{}, i);
    if (acquire) add(ir::Acquire{}, i);
  }

  bool lower_call(llvm::CallBase& call, std::optional<ir::SymbolId> own) {
    if (call.isDebugOrPseudoInst()) return false;
    ir::Call lowered;
    lowered.effects = call_effects(call);
    if (leads_to_shared_landing_pad(call)) {
      lowered.effects.acquires = true;
    } else if (const llvm::Function* callee = call.getCalledFunction();
               callee != nullptr && !call.isMustTailCall()) {
      if (const auto it = ids_.find(callee); it != ids_.end()) lowered.callee = it->second;
    }
    // The abstract callee's effects leave unwinding to the graph; here it may leave the function.
    if (lowered.callee && llvm::isa<llvm::CallInst>(call) && !call.doesNotThrow()) {
      ir::Call unwinding;
      unwinding.effects.may_not_return = true;
      add(std::move(unwinding), call);
    }
    const ir::Effects& e = lowered.effects;
    if (!lowered.callee && !e.acquires && !e.releases && !e.may_not_return &&
        !e.modifies_everything)
      return false;
    lowered.result = own;
    add(std::move(lowered), call);
    return true;
  }

  std::vector<Atom> facts_of(const llvm::BasicBlock& from, const llvm::BasicBlock* to) {
    const auto it = facts_.find({&from, to});
    return it == facts_.end() ? std::vector<Atom>{} : it->second;
  }

  ir::Terminator terminator(llvm::Instruction& t) {
    if (llvm::isa<llvm::ReturnInst>(t)) return ir::Return{};
    if (llvm::isa<llvm::ResumeInst>(t)) return ir::Throw{};
    std::vector<BlockId> targets;
    for (llvm::BasicBlock* s : llvm::successors(&t)) {
      const BlockId id = blocks_.lookup(s);
      if (std::find(targets.begin(), targets.end(), id) == targets.end()) targets.push_back(id);
    }
    if (targets.empty()) return ir::Halt{};
    if (targets.size() == 1) return ir::Jump{targets[0]};
    if (targets.size() > 2 || !llvm::isa<llvm::BranchInst>(t)) return ir::Choice{targets};
    return ir::Branch{targets[0], targets[1], facts_of(*t.getParent(), t.getSuccessor(0)),
                      facts_of(*t.getParent(), t.getSuccessor(1))};
  }

  LoweringResult finish() {
    LoweringResult out{builder_.finish(), std::move(result_)};
    LoweredFunction& c = out.concrete;
    c.blocks.resize(out.abstract.blocks.size());
    c.instructions.resize(out.abstract.blocks.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const auto id = builder_.final_id(BlockId(i));
      if (!id) continue;
      c.blocks[index_of(*id)] = order_[i];
      c.instructions[index_of(*id)] = std::move(written_[i]);
    }
    // The builder numbers accesses in the order they were written.
    std::vector<PlainAccess> accesses(access_order_.size(),
                                      c.accesses.empty() ? PlainAccess{} : c.accesses[0]);
    std::vector<ir::Path> paths(access_order_.size());
    for (const auto& [id, original] : access_order_) {
      accesses[index_of(id)] = c.accesses[original];
      paths[index_of(id)] = c.paths[original];
    }
    c.accesses = std::move(accesses);
    c.paths = std::move(paths);
    return out;
  }

  llvm::Function& function_;
  const FunctionIds& ids_;
  llvm::DominatorTree& dominators_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& scev_;
  ir::FunctionBuilder builder_;
  LoweredFunction result_;
  SharedMemory shared_;

  std::vector<llvm::BasicBlock*> order_;
  llvm::DenseMap<const llvm::BasicBlock*, BlockId> blocks_;
  std::vector<std::vector<llvm::Instruction*>> written_;
  // One, or the sides of a memory intrinsic.
  llvm::DenseMap<const llvm::Instruction*, llvm::SmallVector<std::size_t, 2>> accesses_of_;
  std::vector<std::pair<ir::AccessId, std::size_t>> access_order_;
  std::map<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, std::vector<Atom>> facts_;
  llvm::DenseMap<const llvm::BasicBlock*, std::vector<ir::SymbolId>> at_start_;
  llvm::DenseMap<const llvm::Instruction*, std::vector<ir::SymbolId>> after_;
};

}  // namespace

llvm::Instruction* LoweredFunction::instruction_at(ir::BlockId block, std::size_t index) const {
  const auto& list = instructions[index_of(block)];
  return index < list.size() ? list[index] : blocks[index_of(block)]->getTerminator();
}

bool can_be_lowered(const llvm::Function& f) {
  return std::all_of(f.begin(), f.end(), [](const llvm::BasicBlock& b) {
    return (!b.isEHPad() || b.isLandingPad()) &&
           llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst, llvm::ResumeInst,
                     llvm::InvokeInst, llvm::UnreachableInst>(b.getTerminator());
  });
}

LoweringResult lower(llvm::Function& f, std::vector<PlainAccess> accesses, const FunctionIds& ids,
                     llvm::FunctionAnalysisManager& analyses) {
  return Lowering(f, std::move(accesses), ids, analyses).run();
}

}  // namespace bigfoot::frontend
