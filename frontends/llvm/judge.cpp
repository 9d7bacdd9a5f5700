#include "frontends/llvm/judge.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

#include "analysis/good_checks/good_checks.h"
#include "frontends/llvm/checks.h"
#include "frontends/llvm/explain/source_names.h"

namespace bigfoot::frontend {
namespace {

std::string place_of(const llvm::Instruction& i) {
  const explain::Position at = explain::position_of(position(i));
  if (at.empty()) return "an unknown place";
  return at.front().file + ":" + std::to_string(at.front().line) + ":" +
         std::to_string(at.front().column);
}

std::string describe(const good_checks::Rejection& r, const LoweredFunction& f) {
  std::string text = "checks of '" + explain::demangled(f.function->getName()) +
                     "' not accepted: " + r.rule + " fails ";
  if (r.point.edge_to)
    text += "on the way from " + place_of(*f.blocks[index_of(r.point.block)]->getTerminator()) +
            " to " + place_of(*f.blocks[index_of(*r.point.edge_to)]->getFirstNonPHIIt());
  else
    text += "at " + place_of(*f.instruction_at(r.point.block, r.point.index));
  text += ": " + r.reason;
  if (r.path) text += ": " + explain::SourceNames(f).path(r.path->base, r.path->range);
  if (r.access)
    text += " (the access at " + place_of(*f.accesses[index_of(*r.access)].instruction) + ")";
  return text;
}

}  // namespace

void judge_placement(const std::string& title, const ir::Program& program,
                     const placement::Placement& placement,
                     const std::vector<LoweredFunction>& functions, logic::Entailment& entailment) {
  if (functions.empty()) return;
  std::vector<const ir::Plan*> plans;
  std::size_t checks = 0;
  for (const placement::FunctionPlacement& f : placement.functions) {
    plans.push_back(&f.plan);
    checks += f.plan.checks.size();
  }
  const ir::Program analysed = placement.analysed_program(program);
  const auto rejected = good_checks::verify_each(analysed, plans, entailment, {});
  llvm::LLVMContext& context = functions.front().function->getContext();
  for (const good_checks::Rejection& r : rejected)
    context.emitError("bigfoot: " + describe(r, functions[index_of(r.function)]));
  const std::string summary = "bigfoot: " + title + ": checks of " +
                              std::to_string(functions.size() - rejected.size()) + " of " +
                              std::to_string(functions.size()) + " functions accepted (" +
                              std::to_string(checks) + " checks)";
  // Not a remark: those are shown on request only.
  llvm::errs() << summary << "\n";
}

}  // namespace bigfoot::frontend
