#include "frontends/llvm/entry_points.h"

#include "abi/layout.h"
#include "frontends/llvm/compat.h"

namespace bigfoot::frontend {
namespace {

constexpr const char* kChecksFirst = "bigfoot-check-first";

bool checks_come_first(const llvm::Module& module) {
  return module.getModuleFlag(kChecksFirst) != nullptr;
}

struct Signature {
  const char* name;
  const char* result;
  const char* parameters;
  bool spare;
};

constexpr Signature kSignatures[] = {
#define BF_ENTRY(result, name, parameters, convention) \
  {#name, #result, #parameters, #convention[0] == 's'},
#include "abi/entry_points.def"
#undef BF_ENTRY
};

const Signature& signature(llvm::StringRef name) {
  for (const Signature& s : kSignatures)
    if (name == s.name) return s;
  llvm::report_fatal_error(llvm::Twine("bigfoot: no entry point named ") + name);
}

llvm::Type* type_of(char code, llvm::LLVMContext& context) {
  switch (code) {
    case 'p':
      return llvm::PointerType::getUnqual(context);
    case 'i':
      return llvm::Type::getInt32Ty(context);
    case 'l':
      return llvm::Type::getInt64Ty(context);
    default:
      return llvm::Type::getVoidTy(context);
  }
}

// Code that is not position-independent enough for a shared library ends in an executable, and so
// does the run time: its variables are then one instruction away instead of two, and its functions
// are called directly.
bool goes_into_executable(const llvm::Module& module) {
  return module.getPICLevel() == llvm::PICLevel::NotPIC ||
         module.getPIELevel() != llvm::PIELevel::Default;
}

void set_convention(llvm::FunctionCallee callee, bool spare) {
  auto* f = llvm::dyn_cast<llvm::Function>(callee.getCallee());
  if (f == nullptr) return;
  f->setDoesNotThrow();
  // The lazy binder of the dynamic linker does not keep the registers that the callee keeps. Calls
  // through the table of addresses cost more than the two bytes: LLVM keeps the addresses of what
  // is called often in registers, which the code around then lacks.
  if (goes_into_executable(*f->getParent()))
    f->setDSOLocal(true);
  else
    f->addFnAttr(llvm::Attribute::NonLazyBind);
  if (!spare) return;
  f->setCallingConv(llvm::CallingConv::PreserveMost);
  if (checks_come_first(*f->getParent())) return;
  // So that a check stands in nobody's way: accesses may be moved past it or combined around it, as
  // they may where no check is. What orders threads passes neither.
  f->setOnlyAccessesInaccessibleMemory();
  f->setWillReturn();
  f->setDoesNotFreeMemory();
  f->addFnAttr(llvm::Attribute::NoCallback);
  if (!f->arg_empty()) compat::add_no_capture(*f, 0);
}

}  // namespace

void let_checks_come_first(llvm::Module& module) {
  module.addModuleFlag(llvm::Module::Max, kChecksFirst, 1);
}

EntryPoints::EntryPoints(llvm::Module& module)
    : module_(module), thread_(thread_variable("__bf_thread", sizeof(abi::ThreadHot))) {}

llvm::GlobalVariable* EntryPoints::counters() {
  return thread_variable("__bf_counters", sizeof(abi::AccessCounters));
}

llvm::GlobalVariable* EntryPoints::thread_variable(llvm::StringRef name, std::size_t bytes) {
  llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module_.getContext()), bytes);
  auto* variable = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(name, type, [&] {
    return new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage,
                                    nullptr, name, nullptr, llvm::GlobalValue::InitialExecTLSModel);
  }));
  if (goes_into_executable(module_)) {
    variable->setDSOLocal(true);
    variable->setThreadLocalMode(llvm::GlobalValue::LocalExecTLSModel);
  }
  return variable;
}

llvm::FunctionCallee EntryPoints::get(llvm::StringRef name) {
  const Signature& s = signature(name);
  llvm::LLVMContext& c = module_.getContext();
  llvm::SmallVector<llvm::Type*, 5> parameters;
  for (const char* p = s.parameters; *p != 0; ++p) parameters.push_back(type_of(*p, c));
  auto* type = llvm::FunctionType::get(type_of(s.result[0], c), parameters, false);
  llvm::FunctionCallee callee = module_.getOrInsertFunction(("__bf_" + name).str(), type);
  set_convention(callee, s.spare);
  return callee;
}

llvm::CallInst* EntryPoints::call(llvm::IRBuilder<>& at, llvm::StringRef name,
                                  llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::CallInst* call = at.CreateCall(get(name), arguments);
  if (signature(name).spare) {
    call->setCallingConv(llvm::CallingConv::PreserveMost);
    // A report names the line of the address to return to.
    call->addFnAttr(llvm::Attribute::NoMerge);
    call->setTailCallKind(llvm::CallInst::TCK_NoTail);
  }
  return call;
}

llvm::FunctionCallee EntryPoints::atomic(unsigned bits, llvm::StringRef operation,
                                         llvm::FunctionType* type) {
  llvm::FunctionCallee callee = module_.getOrInsertFunction(
      ("__bf_atomic" + llvm::Twine(bits) + "_" + operation).str(), type);
  set_convention(callee, false);
  return callee;
}

llvm::GlobalVariable* EntryPoints::directory(unsigned granularity) {
  auto* type = llvm::ArrayType::get(word_type(), abi::kRegionCount);
  auto name = ("__bf_shadow_" + llvm::Twine(granularity)).str();
  auto* directory = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(name, type));
  directory->setDSOLocal(goes_into_executable(module_));
  return directory;
}

llvm::GlobalVariable* EntryPoints::paused() {
  llvm::Type* type = llvm::Type::getInt32Ty(module_.getContext());
  auto* paused = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal("__bf_paused", type));
  paused->setDSOLocal(goes_into_executable(module_));
  return paused;
}

}  // namespace bigfoot::frontend
