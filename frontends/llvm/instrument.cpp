#include "frontends/llvm/instrument.h"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Module.h>

#include "frontends/llvm/accesses.h"
#include "frontends/llvm/atomics.h"
#include "frontends/llvm/checks.h"
#include "frontends/llvm/explain/account.h"
#include "frontends/llvm/frames.h"
#include "frontends/llvm/inline_tests.h"
#include "frontends/llvm/library_calls.h"
#include "frontends/llvm/neighbours.h"
#include "frontends/llvm/x86_masks.h"

namespace bigfoot::frontend {
namespace {

// Whether the memory intrinsic is checked where it stands.
bool checked_here(const llvm::AnyMemIntrinsic& m, const std::optional<PlacedChecks>& placed) {
  return !placed || !placed->memory || !is_placed(m);
}

void emit_plain(const Accesses& found, const std::optional<PlacedChecks>& placed,
                CheckEmitter& emit) {
  for (llvm::AnyMemIntrinsic* m : found.memory)
    if (checked_here(*m, placed)) emit.check(*m);
  for (const PlainAccess& a : found.plain)
    if (!placed || a.vtable_pointer) emit.check(a);
  if (!placed) return;
  for (const RangeCheck& c : placed->ranges) emit.check(c);
  for (const GroupCheck& c : placed->groups) emit.check(c);
  for (const SingleCheck& c : placed->single) emit.check(c);
}

void trace_everything(const Accesses& found, const std::optional<PlacedChecks>& placed,
                      Tracer& trace) {
  for (llvm::AnyMemIntrinsic* m : found.memory) trace.memory(*m, checked_here(*m, placed));
  for (llvm::IntrinsicInst* v : found.vectors) trace.vector(*v);
  for (const PlainAccess& a : found.plain) {
    trace.access(a);
    if (!placed || a.vtable_pointer) trace.check(a);
  }
  if (!placed) return;
  for (const RangeCheck& c : placed->ranges) trace.check(c);
  for (const GroupCheck& c : placed->groups) trace.check(c);
  for (const SingleCheck& c : placed->single) trace.check(c);
}

void instrument_function(llvm::Function& f, EntryPoints& entries, Fields& fields,
                         Placement placement, TraceOptions trace) {
  bool checked = f.hasFnAttribute(llvm::Attribute::SanitizeThread);
  if (checked) make_masks_generic(f);
  Accesses found = collect_accesses(f, checked);
  bool any = !found.plain.empty() || !found.memory.empty() || !found.vectors.empty() ||
             !found.atomics.empty();
  const std::optional<PlacedChecks> placed = placement(f, found, fields);
  std::optional<Frame> frame;
  if (checked && (any || found.has_calls)) frame.emplace(f, entries);
  if (trace.any()) {
    Tracer tracer(entries, trace);
    trace_everything(found, placed, tracer);
  }
  CheckEmitter emit(f, entries, fields);
  for (llvm::IntrinsicInst* v : found.vectors) emit.check(*v);
  for (llvm::CallBase* c : found.library) redirect_library_call(*c);
  emit_plain(found, placed, emit);
  if (frame) frame->close();
  for (llvm::Instruction* a : found.atomics) instrument_atomic(*a, entries, fields);
  if (any || found.has_calls) f.setMemoryEffects(llvm::MemoryEffects::unknown());
}

}  // namespace

void instrument(const Batch& batch, Placement placement) {
  if (batch.functions.empty() && batch.constructors.empty()) return;
  const Settings& settings = batch.settings;
  llvm::Module& module =
      *(batch.functions.empty() ? batch.constructors : batch.functions).front()->getParent();
  EntryPoints entries(module);
  Fields fields(module);
  for (llvm::Function* f : batch.functions) {
    instrument_function(*f, entries, fields, placement, settings.trace());
    let_tests_be_inlined(*f, settings.inline_tests());
  }
  fields.write_names();
  settle(batch);
}

llvm::PreservedAnalyses InstrumentPass::run(llvm::Module& module,
                                            llvm::ModuleAnalysisManager& analyses) {
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (const Batch& batch : unplaced(module)) {
    if (batch.settings.placement() != placement::Detector::FastTrack) continue;
    explain::Accounts accounts = accounts_for(batch);
    instrument(batch,
               [&](llvm::Function& f, const Accesses& found,
                   Fields& fields) -> std::optional<PlacedChecks> {
                 if (accounts.wanted())
                   accounts.add(source_of(f), explain::account_on_the_spot(f, found, true));
                 // Checks that stop races stand each before its own access.
                 if (!batch.settings.compresses_arrays() || batch.settings.check_first ||
                     found.plain.empty())
                   return std::nullopt;
                 auto& evolution = functions.getResult<llvm::ScalarEvolutionAnalysis>(f);
                 return PlacedChecks{.single = checks_of_neighbours(f, found, fields, evolution),
                                     .groups = {},
                                     .ranges = {},
                                     .memory = false};
               });
    accounts.write(module, {});
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace bigfoot::frontend
