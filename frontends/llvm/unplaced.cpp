#include "frontends/llvm/unplaced.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <set>

#include "abi/version.h"
#include "frontends/llvm/entry_points.h"
#include "frontends/llvm/global_arrays.h"

namespace bigfoot::frontend {
namespace {

// The front end's own thread-sanitizer machinery marks the functions and then appends TSan's pass.
// That pass leaves functions with this attribute alone, and it makes no constructor of its own if
// the module has a function of the name it would use; so ours has that name.
constexpr auto kNotForTsan = llvm::Attribute::DisableSanitizerInstrumentation;
constexpr const char* kConstructor = "tsan.module_ctor";

constexpr const char* kSettings = "bigfoot-unplaced";
constexpr const char* kSource = "bigfoot-source";
constexpr const char* kPlaced = "bigfoot-placed";
// What a linker without the plugin says is undefined.
constexpr const char* kMissing = "__bf_checks_missing__link_with_bigfoot_clang_and_lld";

bool is_to_be_checked(const llvm::Function& f) {
  return !f.isDeclaration() && !f.hasFnAttribute(llvm::Attribute::Naked) &&
         !f.hasFnAttribute(kNotForTsan) && !f.hasAvailableExternallyLinkage();
}

void mark(llvm::Function& f, llvm::StringRef settings, llvm::StringRef source) {
  f.addFnAttr(kSettings, settings);
  f.addFnAttr(kSource, source);
  f.addFnAttr(kNotForTsan);
}

void unmark(llvm::Function& f) {
  f.removeFnAttr(kSettings);
  f.removeFnAttr(kSource);
}

// Its only call: what the constructor has to say, told to nobody yet.
llvm::CallInst& announcement(llvm::Function& constructor) {
  for (llvm::Instruction& i : constructor.getEntryBlock())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) return *call;
  llvm::report_fatal_error("bigfoot: a file's constructor announces nothing");
}

llvm::Function* make_constructor(llvm::Module& module, const Settings& settings) {
  llvm::Function* constructor = llvm::createSanitizerCtor(module, kConstructor);
  llvm::IRBuilder<> at(constructor->getEntryBlock().getTerminator());
  llvm::Value* source = at.CreateGlobalString(module.getSourceFileName());
  const std::uint32_t flags = settings.check_first ? abi::kChecksFirst : 0;
  llvm::FunctionCallee missing = module.getOrInsertFunction(
      kMissing, at.getVoidTy(), at.getInt32Ty(), at.getPtrTy(), at.getInt32Ty());
  at.CreateCall(missing, {at.getInt32(abi::kAbiVersion), source, at.getInt32(flags)});
  llvm::appendToGlobalCtors(module, constructor, 0);
  return constructor;
}

// As it has to be written down: the linker may work in another folder.
std::string path_for_later(const std::string& path) {
  if (path.empty() || !left_to_the_linker()) return path;
  llvm::SmallString<128> full(path);
  (void)llvm::sys::fs::make_absolute(full);
  return std::string(full);
}

}  // namespace

void mark_module(llvm::Module& module, const Settings& settings) {
  if (module.getFunction(kConstructor) != nullptr) return;
  if (settings.check_first) let_checks_come_first(module);
  Settings written = settings;
  written.explain_to = path_for_later(settings.explain_to);
  const std::string text = to_text(written);
  const std::string source = path_for_later(module.getSourceFileName());
  for (llvm::Function& f : module) {
    if (!is_to_be_checked(f)) continue;
    mark(f, text, source);
    // Atomics of functions that are not checked order threads all the same, and would not if they
    // were inlined into a file without marks. (For checked ones LLVM sees to that.)
    if (!f.hasFnAttribute(llvm::Attribute::SanitizeThread) &&
        !f.hasFnAttribute(llvm::Attribute::AlwaysInline))
      f.addFnAttr(llvm::Attribute::NoInline);
  }
  mark(*make_constructor(module, settings), text, source);
}

void keep_waiting_apart(llvm::Module& module) {
  for (llvm::Function& f : module) {
    f.removeFnAttr(llvm::Attribute::AlwaysInline);
    for (llvm::Instruction& i : llvm::instructions(f))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
        call->removeFnAttr(llvm::Attribute::AlwaysInline);
    if (f.hasFnAttribute(kSettings) || !f.hasFnAttribute(llvm::Attribute::SanitizeThread)) continue;
    f.removeFnAttr(llvm::Attribute::SanitizeThread);
    f.addFnAttr(kPlaced);
  }
}

void end_keeping_apart(llvm::Module& module) {
  for (llvm::Function& f : module) {
    if (!f.hasFnAttribute(kPlaced)) continue;
    f.removeFnAttr(kPlaced);
    f.addFnAttr(llvm::Attribute::SanitizeThread);
  }
}

std::vector<Batch> unplaced(llvm::Module& module) {
  llvm::MapVector<llvm::StringRef, Batch> batches;
  std::set<llvm::StringRef> unreadable;
  for (llvm::Function& f : module) {
    const llvm::StringRef text = f.getFnAttribute(kSettings).getValueAsString();
    // A copy for inlining only, of a function that the program has elsewhere.
    if (text.empty() || f.isDeclaration() || f.hasAvailableExternallyLinkage()) continue;
    const auto [it, fresh] = batches.try_emplace(text);
    Batch& batch = it->second;
    if (fresh) {
      if (std::optional<Settings> settings = from_text(text))
        batch.settings = *settings;
      else if (unreadable.insert(text).second)
        module.getContext().emitError("bigfoot: " + source_of(f) +
                                      " was compiled by another version of BigFoot; recompile it");
    }
    (f.getName().starts_with(kConstructor) ? batch.constructors : batch.functions).push_back(&f);
  }
  std::vector<Batch> readable;
  for (auto& [text, batch] : batches)
    if (!unreadable.contains(text)) readable.push_back(std::move(batch));
  return readable;
}

std::string source_of(const llvm::Function& marked) {
  return marked.getFnAttribute(kSource).getValueAsString().str();
}

std::string title_of(const Batch& batch) {
  if (batch.constructors.size() == 1) return source_of(*batch.constructors.front());
  return std::to_string(batch.constructors.size()) + " files";
}

explain::Accounts accounts_for(const Batch& batch) {
  explain::Accounts accounts(batch.settings.explain_destination());
  for (const llvm::Function* c : batch.constructors) accounts.add_file(source_of(*c));
  return accounts;
}

void settle(const Batch& batch) {
  for (llvm::Function* f : batch.functions) unmark(*f);
  for (llvm::Function* c : batch.constructors) {
    unmark(*c);
    llvm::CallInst& call = announcement(*c);
    EntryPoints entries(*c->getParent());
    llvm::IRBuilder<> at(&call);
    entries.call(at, "module_init",
                 llvm::to_vector<3>(llvm::map_range(call.args(), [](auto& a) { return a.get(); })));
    if (batch.settings.compresses_arrays())
      let_arrays_be_announced(*c, batch.settings.use_arrays());
    call.eraseFromParent();
  }
}

}  // namespace bigfoot::frontend
