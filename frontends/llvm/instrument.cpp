#include "frontends/llvm/instrument.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "abi/version.h"
#include "frontends/llvm/accesses.h"
#include "frontends/llvm/atomics.h"
#include "frontends/llvm/checks.h"
#include "frontends/llvm/explain/account.h"
#include "frontends/llvm/frames.h"
#include "frontends/llvm/global_arrays.h"
#include "frontends/llvm/library_calls.h"
#include "frontends/llvm/x86_masks.h"

namespace bigfoot::frontend {
namespace {

// The front end's own thread-sanitizer machinery marks the functions and then appends TSan's pass.
// That pass leaves functions with this attribute alone, and it makes no constructor of its own if
// the module has a function of the name it would use; so ours has that name.
constexpr auto kDoneAttribute = llvm::Attribute::DisableSanitizerInstrumentation;
constexpr const char* kConstructor = "tsan.module_ctor";

}  // namespace

bool wants_instrumentation(const llvm::Function& f) {
  return !f.isDeclaration() && !f.hasFnAttribute(llvm::Attribute::Naked) &&
         !f.hasFnAttribute(kDoneAttribute) && f.getName() != kConstructor &&
         !f.hasAvailableExternallyLinkage();
}

bool is_instrumented(const llvm::Module& module) {
  return module.getFunction(kConstructor) != nullptr;
}

llvm::Function* module_constructor(llvm::Module& module) {
  return module.getFunction(kConstructor);
}

namespace {

// Whether the memory intrinsic is checked where it stands.
bool checked_here(const llvm::AnyMemIntrinsic& m, const std::optional<PlacedChecks>& placed) {
  return !placed || !is_placed(m);
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
  const std::optional<PlacedChecks> placed = placement(f, found);
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
  f.addFnAttr(kDoneAttribute);
}

void announce_module(llvm::Module& module, EntryPoints& entries) {
  llvm::Function* constructor = llvm::createSanitizerCtor(module, kConstructor);
  constructor->addFnAttr(kDoneAttribute);
  llvm::IRBuilder<> at(constructor->getEntryBlock().getTerminator());
  llvm::Value* source = at.CreateGlobalString(module.getSourceFileName());
  const std::uint32_t flags = checks_come_first() ? abi::kChecksFirst : 0;
  entries.call(at, "module_init", {at.getInt32(abi::kAbiVersion), source, at.getInt32(flags)});
  llvm::appendToGlobalCtors(module, constructor, 0);
}

}  // namespace

void instrument_module(llvm::Module& module, Placement placement, TraceOptions trace) {
  EntryPoints entries(module);
  Fields fields(module);
  llvm::SmallVector<llvm::Function*, 64> functions;
  for (llvm::Function& f : module)
    if (wants_instrumentation(f)) functions.push_back(&f);
  for (llvm::Function* f : functions) instrument_function(*f, entries, fields, placement, trace);
  fields.write_names();
  announce_module(module, entries);
}

llvm::PreservedAnalyses ArraysPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::Function* constructor = module_constructor(module);
  const bool done = llvm::any_of(constructor->getEntryBlock(), [](const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    return call && call->getCalledFunction() &&
           call->getCalledFunction()->getName() == "__bf_use_arrays";
  });
  if (done) return llvm::PreservedAnalyses::all();
  EntryPoints entries(module);
  llvm::IRBuilder<> at(constructor->getEntryBlock().getTerminator());
  entries.call(at, "use_arrays", {at.getInt32(1)});
  announce_global_arrays(module, entries, at);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses InstrumentPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (is_instrumented(module)) return llvm::PreservedAnalyses::all();
  std::vector<explain::Function> accounts;
  instrument_module(
      module,
      [&](llvm::Function& f, const Accesses& found) {
        if (explain_to_.wanted()) accounts.push_back(explain::account_on_the_spot(f, found, true));
        return std::nullopt;
      },
      trace_);
  if (explain_to_.wanted()) explain::write_json(module, accounts, {}, explain_to_);
  return llvm::PreservedAnalyses::none();
}

}  // namespace bigfoot::frontend
