#include "frontends/llvm/place.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
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

void omit(ir::Plan& plan, unsigned n) {
  if (n == 0 || n > plan.checks.size()) return;
  plan.checks.erase(plan.checks.begin() + (n - 1));
}

// The functions of a batch are analysed together, so that calls between them are known.
class BatchPlacement {
 public:
  BatchPlacement(const Batch& batch, llvm::FunctionAnalysisManager& analyses)
      : settings_(batch.settings), title_(title_of(batch)), analyses_(analyses) {
    for (llvm::Function* f : batch.functions) {
      if (!can_be_lowered(*f)) continue;
      const auto id = ir::FunctionId(functions_.size());
      index_[f] = functions_.size();
      functions_.push_back(f);
      // What can be replaced when linking or loading (or is not what will run) says nothing.
      if (!f->isInterposable()) ids_[f] = id;
    }
  }

  void place() {
    placement::Options options;
    options.detector = settings_.placement();
    options.address_precise = true;
    options.exact_sources = true;
    options.record_hints = settings_.verify_placement;
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
    if (!settings_.no_proxies) find_proxies(options.detector);
    for (placement::FunctionPlacement& f : placement_.functions) omit(f.plan, settings_.omit_check);
    if (settings_.verify_placement) judge_placement(title_, program_, placement_, concrete_, chain);
    if (!settings_.dump) return;
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
    proxies_.emplace(settings_.one_sided_proxies);
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

  const Settings& settings_;
  std::string title_;
  llvm::FunctionAnalysisManager& analyses_;
  std::vector<llvm::Function*> functions_;
  llvm::DenseMap<const llvm::Function*, std::size_t> index_;
  FunctionIds ids_;
  ir::Program program_;
  std::vector<LoweredFunction> concrete_;
  placement::Placement placement_;
  std::optional<FieldProxies> proxies_;
};

void place_checks(const Batch& batch, llvm::Module& module,
                  llvm::FunctionAnalysisManager& functions) {
  if (batch.settings.placement() == placement::Detector::BigFoot)
    for (llvm::Function* f : batch.functions) read_steady_values_once(*f, functions);
  BatchPlacement placed(batch, functions);
  placed.place();
  FieldProxies* proxies = placed.proxies();
  explain::Accounts accounts = accounts_for(batch);
  std::vector<explain::Type> types;
  if (accounts.wanted() && proxies != nullptr)
    types = explain::types_of(module, *proxies, placed.functions());
  instrument(batch, [&](llvm::Function& f, const Accesses& found, Fields&) {
    if (accounts.wanted() || placed.wanted_remarks(f) != nullptr) {
      explain::Function account = placed.account_of(f, found);
      if (accounts.wanted()) accounts.add(source_of(f), std::move(account));
    }
    return placed.checks_for(f);
  });
  if (proxies != nullptr && !batch.constructors.empty())
    announce_groups(*batch.constructors.front(), *proxies);
  accounts.write(module, types);
}

}  // namespace

llvm::PreservedAnalyses PlacePass::run(llvm::Module& module,
                                       llvm::ModuleAnalysisManager& analyses) {
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (const Batch& batch : unplaced(module)) {
    if (batch.settings.placement() == placement::Detector::FastTrack) continue;
    place_checks(batch, module, functions);
    functions.clear();  // what was found of functions that have been changed since
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace bigfoot::frontend
