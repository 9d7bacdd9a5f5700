#include "frontends/llvm/place.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

#include "analysis/ir/print.h"
#include "analysis/placement/placement.h"
#include "analysis/solver/affine.h"
#include "analysis/solver/chain.h"
#include "frontends/llvm/explain/account.h"
#include "frontends/llvm/explain/types.h"
#include "frontends/llvm/instrument.h"
#include "frontends/llvm/judge.h"
#include "frontends/llvm/lower/plan_emitter.h"
#include "frontends/llvm/lower/steady_reads.h"
#include "frontends/llvm/remarks.h"
#include "frontends/llvm/span_groups.h"

namespace bigfoot::frontend {
namespace {

llvm::cl::opt<bool> dump("bigfoot-dump", llvm::cl::Hidden,
                         llvm::cl::desc("Print each abstract function with its checks"));
llvm::cl::opt<bool> verify_placement(
    "bigfoot-verify-placement",
    llvm::cl::desc("Have every placement judged by GoodChecks, an independent verifier"));
llvm::cl::opt<unsigned> omit_check(
    "bigfoot-omit-check", llvm::cl::Hidden,
    llvm::cl::desc("Leave out the n-th check of each function, to see the verifiers notice"));

llvm::cl::opt<bool> no_proxies(
    "bigfoot-no-proxies",
    llvm::cl::desc("Check each field on its own, also those that are always checked together"));

void omit(ir::Plan& plan, unsigned n) {
  if (n == 0 || n > plan.checks.size()) return;
  plan.checks.erase(plan.checks.begin() + (n - 1));
}

// The functions of a module that are analysed together, so that calls between them are known.
class ModulePlacement {
 public:
  ModulePlacement(llvm::Module& module, llvm::FunctionAnalysisManager& analyses)
      : analyses_(analyses) {
    for (llvm::Function& f : module) {
      if (!wants_instrumentation(f) || !can_be_lowered(f)) continue;
      const auto id = ir::FunctionId(functions_.size());
      index_[&f] = functions_.size();
      functions_.push_back(&f);
      // What can be replaced when linking (or is not what will run) says nothing.
      if (!f.isInterposable()) ids_[&f] = id;
    }
  }

  void place(const placement::Options& options) {
    for (llvm::Function* f : functions_) {
      const bool checked = f->hasFnAttribute(llvm::Attribute::SanitizeThread);
      Accesses found = collect_accesses(*f, checked);
      std::vector<PlainAccess> plain;
      for (const PlainAccess& a : found.plain)
        if (!a.vtable_pointer) plain.push_back(a);
      SharedMemory shared;
      for (llvm::AnyMemIntrinsic* m : found.memory)
        if (is_placed(*m)) llvm::append_range(plain, sides(*m, shared));
      LoweringResult lowered = lower(*f, std::move(plain), ids_, analyses_);
      program_.functions.push_back(std::move(lowered.abstract));
      concrete_.push_back(std::move(lowered.concrete));
      program_.thread_entries.push_back(ir::FunctionId(program_.functions.size() - 1));
    }
    std::vector<solver::Sequence::Stage> stages;
    stages.push_back({"affine", std::make_unique<solver::AffineEngine>()});
    solver::Chain chain(std::move(stages));
    placement_ = placement::place(program_, chain, options);
    if (!no_proxies) find_proxies(options.detector);
    for (placement::FunctionPlacement& f : placement_.functions) omit(f.plan, omit_check);
    if (verify_placement) judge_placement(program_, placement_, concrete_, chain);
    if (!dump) return;
    for (const placement::FunctionPlacement& f : placement_.functions)
      llvm::errs() << ir::print(f.analysed.function, f.plan) << "\n";
  }

  const std::vector<LoweredFunction>& functions() const { return concrete_; }
  // Null: without proxies.
  FieldProxies* proxies() { return proxies_ ? &*proxies_ : nullptr; }

  // The checks of a function, ready to be emitted; nothing for one that was not analysed.
  std::optional<PlacedChecks> checks_for(llvm::Function& f) {
    const auto it = index_.find(&f);
    if (it == index_.end()) return std::nullopt;
    return materialise(placement_.functions[it->second].plan, concrete_[it->second], proxies());
  }

  // What became of the function's accesses; emitted as remarks, if somebody wants them. Call it
  // before the function is changed.
  explain::Function account_of(llvm::Function& f, const Accesses& found) {
    const auto it = index_.find(&f);
    if (it == index_.end()) return explain::account_on_the_spot(f, found, false);
    const LoweredFunction& concrete = concrete_[it->second];
    explain::Function account =
        explain::account_of(concrete, placement_.functions[it->second].plan, found);
    if (auto* remarks = wanted_remarks(f)) emit_remarks(account, concrete, *remarks);
    return account;
  }

  llvm::OptimizationRemarkEmitter* wanted_remarks(llvm::Function& f) {
    auto& remarks = analyses_.getResult<llvm::OptimizationRemarkEmitterAnalysis>(f);
    return remarks.allowExtraAnalysis("bigfoot") ? &remarks : nullptr;
  }

 private:
  // What the module's checks tell of its types; where checks are not moved, those of a group become
  // one.
  void find_proxies(placement::Detector detector) {
    proxies_.emplace();
    if (detector != placement::Detector::BigFoot) return join_spans();
    for (std::size_t i = 0; i < concrete_.size(); ++i)
      for (const ir::PlacedCheck& c : placement_.functions[i].plan.checks) {
        std::vector<SmallRange> ranges;
        for (const ir::Range& r : c.check.ranges)
          llvm::append_range(ranges, fields_of(concrete_[i], c, r));
        proxies_->note(concrete_[i], ranges);
      }
    proxies_->decide();
  }
  void join_spans() {
    std::vector<SpanGroups> spans;
    for (std::size_t i = 0; i < concrete_.size(); ++i) {
      const placement::FunctionPlacement& placed = placement_.functions[i];
      spans.emplace_back(placed.analysed.function, concrete_[i], placed.plan, *proxies_);
      spans.back().note(*proxies_);
    }
    proxies_->decide();
    for (std::size_t i = 0; i < concrete_.size(); ++i)
      placement_.functions[i].plan.checks = spans[i].join(*proxies_);
  }

  llvm::FunctionAnalysisManager& analyses_;
  std::vector<llvm::Function*> functions_;
  llvm::DenseMap<const llvm::Function*, std::size_t> index_;
  FunctionIds ids_;
  ir::Program program_;
  std::vector<LoweredFunction> concrete_;
  placement::Placement placement_;
  std::optional<FieldProxies> proxies_;
};

}  // namespace

llvm::PreservedAnalyses PlacePass::run(llvm::Module& module,
                                       llvm::ModuleAnalysisManager& analyses) {
  if (is_instrumented(module)) return llvm::PreservedAnalyses::all();
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  if (detector_ == placement::Detector::BigFoot)
    for (llvm::Function& f : module)
      if (wants_instrumentation(f)) read_steady_values_once(f, functions);
  ModulePlacement placed(module, functions);
  placement::Options options;
  options.detector = detector_;
  options.address_precise = true;
  options.exact_sources = true;
  options.record_hints = verify_placement;
  placed.place(options);
  FieldProxies* proxies = placed.proxies();
  std::vector<explain::Function> accounts;
  const bool explaining = explain_to_.wanted();
  std::vector<explain::Type> types;
  if (explaining && proxies != nullptr)
    types = explain::types_of(module, *proxies, placed.functions());
  instrument_module(
      module,
      [&](llvm::Function& f, const Accesses& found) {
        if (explaining || placed.wanted_remarks(f) != nullptr) {
          explain::Function account = placed.account_of(f, found);
          if (explaining) accounts.push_back(std::move(account));
        }
        return placed.checks_for(f);
      },
      trace_);
  if (proxies != nullptr) announce_groups(module, *proxies);
  if (explaining) explain::write_json(module, accounts, types, explain_to_);
  return llvm::PreservedAnalyses::none();
}

}  // namespace bigfoot::frontend
