#include "frontends/llvm/inline_tests.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <optional>

#include "abi/layout.h"
#include "frontends/llvm/compat.h"
#include "frontends/llvm/entry_points.h"
#include "frontends/llvm/epoch_test.h"
#include "frontends/llvm/sweep_test.h"

namespace bigfoot::frontend {
namespace {

// The attribute of functions that the pass is still to come to, and what it says, by InlineTests.
constexpr const char* kWhere = "bigfoot-inline-tests";
constexpr llvm::StringLiteral kEverywhere = "everywhere";
constexpr llvm::StringLiteral kWithSweeps = "everywhere-with-sweeps";
constexpr llvm::StringLiteral kInHotLoops = "in-hot-loops";
constexpr llvm::StringLiteral kWords[] = {kEverywhere, kWithSweeps, kInHotLoops};

llvm::MDNode* unlikely(llvm::LLVMContext& c) {
  return llvm::MDBuilder(c).createBranchWeights(1, (1u << 20) - 1);
}

// Vectors of whole words are tested word by word up to here; longer ones are left to the call.
constexpr unsigned kMaxInlineBytes = 32;
constexpr const char* kUpdate = "bigfoot.update";

// A call that stands for a check whose test can be inlined.
struct InlinableCheck {
  llvm::CallInst* call;
  llvm::Value* address;
  bool writes;
  unsigned bytes;
  unsigned granularity;  // bytes that one cell of the test speaks for
  bool group = false;    // words that may share the first one's cell
  unsigned part = 0;     // of accesses side by side: the size of each
  // It is in loops that may sweep over an array with it.
  std::optional<Following> sweeps = std::nullopt;
  // Before which the name of its place is computed then, if not where it stands itself.
  llvm::Instruction* named_before = nullptr;

  bool sized() const { return part == 0 && bytes == granularity; }
};

// What an entry point's name says about its calls.
struct Kind {
  bool writes;
  unsigned bytes;  // 0: the second argument says
  bool group = false;
  bool parts = false;  // the third argument says of what size
};

std::optional<Kind> kind_of(llvm::StringRef name) {
  if (!name.consume_front("__bf_")) return std::nullopt;
  const bool sized = name.consume_front("check_");
  const bool writes = name.consume_front("write");
  if (!writes && !name.consume_front("read")) return std::nullopt;
  if (!sized && name == "_parts") return Kind{writes, 0, false, true};
  if (!sized) return name == "_range" ? std::optional<Kind>({writes, 0}) : std::nullopt;
  if (name == "_group") return Kind{writes, 0, true};
  unsigned bytes = 0;
  if (name.getAsInteger(10, bytes)) return std::nullopt;
  return Kind{writes, bytes};
}

std::optional<InlinableCheck> as_check(llvm::CallInst& call, Kind kind) {
  llvm::Value* address = call.getArgOperand(0);
  if (kind.group) {
    const auto* words = llvm::cast<llvm::ConstantInt>(call.getArgOperand(2));
    const auto bytes = static_cast<unsigned>(words->getZExtValue()) * 8;
    return InlinableCheck{&call, address, kind.writes, bytes, 8, true};
  }
  if (kind.parts) {
    auto argument = [&](unsigned i) {
      return static_cast<unsigned>(
          llvm::cast<llvm::ConstantInt>(call.getArgOperand(i))->getZExtValue());
    };
    const unsigned part = argument(2), cell = part < 8 ? part : 8;
    return InlinableCheck{&call, address, kind.writes, argument(1), cell, false, part};
  }
  if (kind.bytes != 0) return InlinableCheck{&call, address, kind.writes, kind.bytes, kind.bytes};
  auto* length = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
  if (length == nullptr || length->getValue().ugt(kMaxInlineBytes)) return std::nullopt;
  const auto bytes = static_cast<unsigned>(length->getZExtValue());
  if (bytes == 0 || bytes % 8 != 0 || call.getParamAlign(0).valueOrOne().value() < 8)
    return std::nullopt;
  return InlinableCheck{&call, address, kind.writes, bytes, 8};
}

// The call behind the inlined test: one for the size, or that of a range or of parts; of a site, if
// it has one.
llvm::CallInst* slow_call(llvm::IRBuilder<>& at, EntryPoints& entries, const InlinableCheck& check,
                          llvm::StringRef operation, llvm::Value* site = nullptr) {
  std::string name = operation.str();
  llvm::SmallVector<llvm::Value*, 4> arguments{check.address};
  if (check.sized()) {
    name += std::to_string(check.bytes);
  } else {
    name += check.part == 0 ? "_range" : "_parts";
    arguments.push_back(at.getInt64(check.bytes));
    if (check.part != 0) arguments.push_back(at.getInt64(check.part));
  }
  if (site != nullptr) {
    name += "_at";
    arguments.push_back(site);
  }
  return entries.call(at, name, arguments);
}

//   head --> cells are there --+--> test --+--> rest
//                              +--> slow <-+     ^
//                                     +----------+
//
// Where a write of the same bytes follows, the slow side of a read tries to do both as one step;
// the write's own test then passes. In a loop that may sweep, all of it comes behind the test of
// the place's cursor.
void inline_test(const InlinableCheck& check, EntryPoints& entries, SweepSites& sites) {
  llvm::Function& function = *check.call->getFunction();
  llvm::LLVMContext& c = function.getContext();
  llvm::BasicBlock* head = check.call->getParent();
  llvm::BasicBlock* rest = head->splitBasicBlock(check.call->getIterator());
  llvm::BasicBlock* slow = llvm::BasicBlock::Create(c, "", &function, rest);
  head->getTerminator()->eraseFromParent();
  const llvm::DebugLoc where = check.call->getDebugLoc();

  llvm::IRBuilder<> at(head);
  at.SetCurrentDebugLocation(where);
  llvm::BasicBlock* alone = slow;  // no update
  llvm::Value* site = nullptr;
  if (check.sweeps) {
    alone = llvm::BasicBlock::Create(c, "", &function, rest);
    llvm::BasicBlock* planes = llvm::BasicBlock::Create(c, "", &function, slow);
    const SweepSites::Site mine = sites.next();
    site = mine.address;
    llvm::Value* place;
    if (check.named_before != nullptr) {
      llvm::IRBuilder<> before(check.named_before);
      place = place_of(before, entries, mine);
    } else {
      place = place_of(at, entries, mine);
    }
    emit_sweep_test(at, entries, check.address, place, mine.cursor, *check.sweeps,
                    {rest, planes, alone});
    at.SetInsertPoint(planes);
  }
  const unsigned cells = check.bytes / check.granularity;
  EpochTest inlined(at, entries, check.address, check.granularity);
  inlined.find_cells(cells, slow);
  llvm::Value* settled = inlined.settled(cells, check.writes);
  at.CreateCondBr(at.CreateNot(settled), slow, rest, unlikely(c));

  at.SetInsertPoint(slow);
  if (const llvm::MDNode* update = check.call->getMetadata(kUpdate)) {
    if (alone == slow) alone = llvm::BasicBlock::Create(c, "", &function, rest);
    at.SetCurrentDebugLocation(
        llvm::DebugLoc(llvm::cast_or_null<llvm::DILocation>(update->getOperand(0).get())));
    llvm::Value* done = slow_call(at, entries, check, "update");
    at.CreateCondBr(at.CreateIsNull(done), alone, rest, unlikely(c));
    at.SetCurrentDebugLocation(where);
  } else if (alone != slow) {
    at.CreateBr(alone);
  }
  at.SetInsertPoint(alone);
  slow_call(at, entries, check, check.writes ? "write" : "read", site);
  at.CreateBr(rest);
  check.call->eraseFromParent();
}

//   head --> there ---+--> one cell --> each word --> call --+--> rest
//                     |        |             |               |     ^
//                     +--------|-------------|------> call   |     |
//                              +-------------+---------------+-----+
//
// The call's result is "positions are not known yet"; where the test settles the check nobody asks.
void inline_group_test(const InlinableCheck& check, EntryPoints& entries) {
  llvm::Function& function = *check.call->getFunction();
  llvm::LLVMContext& c = function.getContext();
  llvm::BasicBlock* head = check.call->getParent();
  llvm::BasicBlock* slow = head->splitBasicBlock(check.call->getIterator());
  llvm::BasicBlock* rest = slow->splitBasicBlock(std::next(check.call->getIterator()));
  llvm::BasicBlock* each_word = llvm::BasicBlock::Create(c, "", &function, slow);
  head->getTerminator()->eraseFromParent();
  const unsigned words = check.bytes / 8;

  llvm::IRBuilder<> at(head);
  at.SetCurrentDebugLocation(check.call->getDebugLoc());
  EpochTest inlined(at, entries, check.address, 8);
  inlined.find_cells(words, slow);
  llvm::BasicBlock* one_cell = at.GetInsertBlock();
  llvm::Value* together = inlined.group_settled(words, check.writes);
  at.CreateCondBr(at.CreateNot(together), each_word, rest, unlikely(c));
  at.SetInsertPoint(each_word);
  llvm::Value* apart = inlined.settled(words, check.writes);
  at.CreateCondBr(at.CreateNot(apart), slow, rest, unlikely(c));

  at.SetInsertPoint(rest, rest->getFirstInsertionPt());
  llvm::PHINode* unknown = at.CreatePHI(check.call->getType(), 3);
  check.call->replaceAllUsesWith(unknown);
  unknown->addIncoming(check.call, slow);
  for (llvm::BasicBlock* settled : {one_cell, each_word})
    unknown->addIncoming(at.getInt32(0), settled);
}

// The checks of a module by function, in the order of their declarations.
using ChecksByFunction = llvm::MapVector<llvm::Function*, llvm::SmallVector<InlinableCheck, 8>>;

ChecksByFunction inlinable_checks(llvm::Module& module) {
  ChecksByFunction found;
  for (llvm::Function& entry : module) {
    const std::optional<Kind> kind = kind_of(entry.getName());
    if (!kind) continue;
    for (llvm::User* user : entry.users()) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != &entry) continue;
      if (const auto check = as_check(*call, *kind)) found[call->getFunction()].push_back(*check);
    }
  }
  return found;
}

// A block from which control only gets to where an exception goes on or the program ends. An
// inlined test there buys nothing and costs its share of the compile time: of LevelDB's checks one
// in seven stands before a throw or a failed assertion.
bool is_cold(const llvm::BasicBlock& start) {
  constexpr std::size_t kMostBlocks = 8;  // cleanups are short
  llvm::SmallSetVector<const llvm::BasicBlock*, kMostBlocks> seen;
  seen.insert(&start);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const llvm::Instruction* end = seen[i]->getTerminator();
    if (llvm::isa<llvm::ReturnInst>(end)) return false;
    for (const llvm::BasicBlock* next : llvm::successors(seen[i])) {
      if (next == &start || (seen.insert(next) && seen.size() > kMostBlocks)) return false;
    }
  }
  return true;
}

// A call that may take as long as many checks. Library functions that touch nothing but errno, as
// sqrt() does, take as long as a few.
bool calls_program(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) return false;
  const llvm::Function* callee = call->getCalledFunction();
  if (callee == nullptr) return true;
  const bool computes = callee->isDeclaration() && compat::touches_only_errno(*call);
  return !computes && !callee->getName().starts_with("__bf_");
}

// Blocks that may be executed often for all one can see: they are on a way round a loop that calls
// nothing. Where every way calls something, the time is spent there more likely than in the checks.
// (A vector's push_back calls on a way that is hardly ever taken.)
class HotBlocks {
 public:
  explicit HotBlocks(const llvm::LoopInfo& loops) {
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) add(*loop);
  }
  bool contain(const llvm::BasicBlock& block) const { return hot_.contains(&block); }

 private:
  using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock*, 16>;

  // Every way round the loop is through its header.
  void add(const llvm::Loop& loop) {
    const Blocks reached = flood(loop, [](const auto* b) { return llvm::successors(b); });
    const Blocks leading = flood(loop, [](const auto* b) { return llvm::predecessors(b); });
    for (const llvm::BasicBlock* block : reached)
      if (leading.contains(block)) hot_.insert(block);
  }
  // The loop's blocks that are connected with its header without a call.
  template <class Neighbours>
  Blocks flood(const llvm::Loop& loop, Neighbours neighbours) {
    Blocks seen;
    llvm::SmallVector<const llvm::BasicBlock*, 16> ahead;
    const auto visit = [&](const llvm::BasicBlock* block) {
      if (loop.contains(block) && is_silent(*block) && seen.insert(block).second)
        ahead.push_back(block);
    };
    visit(loop.getHeader());
    while (!ahead.empty())
      for (const llvm::BasicBlock* next : neighbours(ahead.pop_back_val())) visit(next);
    return seen;
  }
  bool is_silent(const llvm::BasicBlock& block) {
    const auto [known, fresh] = silent_.try_emplace(&block, false);
    if (fresh) known->second = llvm::none_of(block, calls_program);
    return known->second;
  }

  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> hot_;
  llvm::DenseMap<const llvm::BasicBlock*, bool> silent_;
};

// The end of the block before the outermost loop: a place has one name in all of the function.
llvm::Instruction* before_loops(const llvm::Loop& innermost) {
  llvm::Instruction* before = nullptr;
  for (const llvm::Loop* l = &innermost; l != nullptr; l = l->getParentLoop())
    if (llvm::BasicBlock* entrance = l->getLoopPredecessor()) before = entrance->getTerminator();
  return before;
}

std::optional<Following> following(const llvm::SCEV* address, const llvm::Loop& loop,
                                   llvm::ScalarEvolution& evolution) {
  const auto* follows = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
  if (follows != nullptr && follows->getLoop() == &loop) return Following::kLoop;
  const auto around = [&](const llvm::SCEV* part) {
    const auto* r = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
    return r != nullptr && r->getLoop()->contains(&loop);
  };
  if (evolution.isLoopInvariant(address, &loop) && llvm::SCEVExprContains(address, around))
    return Following::kLoopAround;
  return std::nullopt;
}

// Returns how many of the checks may be part of a sweep: those whose address grows or shrinks with
// the innermost loop around them, or with one around that (moldyn's pairs of a particle with all
// others: it is the same each time round then). An array that is accessed here and there goes into
// the planes, where the other test is all that is needed; sparse, half of whose accesses are such,
// takes a fifth longer if all look for cursors.
std::size_t look_for_sweeps(llvm::MutableArrayRef<InlinableCheck> checks,
                            const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) {
  std::size_t found = 0;
  for (InlinableCheck& check : checks) {
    const llvm::Loop* loop = loops.getLoopFor(check.call->getParent());
    if (loop == nullptr || check.group) continue;
    check.sweeps = following(evolution.getSCEV(check.address), *loop, evolution);
    if (!check.sweeps) continue;
    check.named_before = before_loops(*loop);
    ++found;
  }
  return found;
}

// Of checks that stay calls: nobody else knows the note, and a linker that optimises refuses to.
void forget_updates(llvm::Module& module) {
  for (llvm::Function& f : module)
    for (llvm::Instruction& i : llvm::instructions(f))
      if (llvm::isa<llvm::CallInst>(i)) i.setMetadata(kUpdate, nullptr);
}

}  // namespace

void note_update(llvm::CallInst& read_check, const llvm::DebugLoc& write) {
  llvm::Metadata* where = write.get();
  read_check.setMetadata(kUpdate, llvm::MDNode::get(read_check.getContext(), {where}));
}

void let_tests_be_inlined(llvm::Function& f, InlineTests where) {
  f.addFnAttr(kWhere, kWords[static_cast<std::size_t>(where)]);
}

llvm::PreservedAnalyses InlineTestsPass::run(llvm::Module& module,
                                             llvm::ModuleAnalysisManager& analyses) {
  EntryPoints entries(module);
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  ChecksByFunction found = inlinable_checks(module);
  found.remove_if([](const auto& f) { return !f.first->hasFnAttribute(kWhere); });
  std::size_t sweeping = 0;
  for (auto& [function, checks] : found) {
    const llvm::StringRef where = function->getFnAttribute(kWhere).getValueAsString();
    const llvm::LoopInfo& loops = functions.getResult<llvm::LoopAnalysis>(*function);
    std::optional<HotBlocks> hot;
    if (where == kInHotLoops) hot.emplace(loops);
    llvm::erase_if(checks, [&](const InlinableCheck& check) {
      const llvm::BasicBlock& block = *check.call->getParent();
      return hot ? !hot->contain(block) : is_cold(block);
    });
    if (where == kWithSweeps)
      sweeping += look_for_sweeps(checks, loops,
                                  functions.getResult<llvm::ScalarEvolutionAnalysis>(*function));
  }
  SweepSites sites(module, sweeping);
  for (auto& [function, checks] : found)
    for (const InlinableCheck& check : checks)
      check.group ? inline_group_test(check, entries) : inline_test(check, entries, sites);
  for (llvm::Function& f : module) f.removeFnAttr(kWhere);
  forget_updates(module);
  return llvm::PreservedAnalyses::none();
}

}  // namespace bigfoot::frontend
