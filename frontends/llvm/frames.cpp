#include "frontends/llvm/frames.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "abi/layout.h"

namespace bigfoot::frontend {
namespace {

// Volatile: the run time reads which frame is the top one in calls that, for the optimiser's sake,
// touch no memory of the module. In a function that calls nothing else a linker that optimises
// would find that the frame is popped before anybody looks, and not push it. (Only pushing: as many
// volatile pops as there are ways out are not made one.)
constexpr bool kIsRead = true;

// The frame has to be gone before a call that reuses our stack frame.
llvm::Instruction& way_out(llvm::ReturnInst& ret) {
  if (llvm::CallInst* tail = ret.getParent()->getTerminatingMustTailCall()) return *tail;
  return ret;
}

bool returns_twice(const llvm::Instruction& i) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  return call != nullptr && call->hasFnAttr(llvm::Attribute::ReturnsTwice);
}

// Itself by name, or perhaps through a pointer to a function of its type: so walk trees of objects
// with virtual functions. To be wrong is no more than slow.
bool may_call_itself(const llvm::Function& f) {
  const bool has_pointers = !f.hasLocalLinkage() || f.hasAddressTaken();
  return llvm::any_of(llvm::instructions(f), [&](const llvm::Instruction& i) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call == nullptr || call->isInlineAsm()) return false;
    if (!call->isIndirectCall()) return call->getCalledOperand()->stripPointerCasts() == &f;
    return has_pointers && call->getFunctionType() == f.getFunctionType();
  });
}

// The byte that a mark is named by. No constant: a linker that folds equal ones would give two
// functions one name.
llvm::GlobalVariable* make_marked_byte(llvm::Function& f) {
  llvm::Type* byte = llvm::Type::getInt8Ty(f.getContext());
  auto* made = new llvm::GlobalVariable(*f.getParent(), byte, /*isConstant=*/false,
                                        llvm::GlobalValue::PrivateLinkage,
                                        llvm::ConstantInt::get(byte, 0), "bigfoot.mark");
  made->setExternallyInitialized(true);  // or the optimiser would make it a constant after all
  return made;
}

llvm::Value* offset(llvm::IRBuilder<>& at, llvm::Value* p, int bytes) {
  return at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), p, bytes);
}

}  // namespace

Frame::Frame(llvm::Function& f, EntryPoints& entries) : function_(f), entries_(entries) {
  f.removeFnAttr(llvm::Attribute::AlwaysInline);
  f.addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> at(&*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::Value* top = slot(at);
  caller_ = at.CreateLoad(at.getPtrTy(), top);
  llvm::Value* pc = at.CreatePtrToInt(
      at.CreateIntrinsic(at.getPtrTy(), llvm::Intrinsic::returnaddress, {at.getInt32(0)}),
      entries_.word_type());
  llvm::Value* path = load(at, caller_, offsetof(abi::Frame, path));
  path = at.CreateMul(at.CreateXor(path, pc), at.getInt64(abi::kPathMultiplier));
  int size = sizeof(abi::Frame);
  if (may_call_itself(f)) {
    path = push_mark(at, path);
    size += sizeof(abi::Frame);
  }
  own_ = offset(at, caller_, size);
  at.CreateStore(pc, own_);
  at.CreateStore(path, offset(at, own_, offsetof(abi::Frame, path)));
  at.CreateStore(own_, top, kIsRead);
}

// The path of the frame above the mark; `entered`: if the caller is another function. Without
// branches: ten instructions.
llvm::Value* Frame::push_mark(llvm::IRBuilder<>& at, llvm::Value* entered) {
  constexpr int kSize = sizeof(abi::Frame), kPath = offsetof(abi::Frame, path);
  llvm::Value* name =
      at.CreateNot(at.CreatePtrToInt(make_marked_byte(function_), entries_.word_type()));
  llvm::Value* again = at.CreateICmpEQ(load(at, caller_, -kSize), name);
  llvm::Value* first = at.CreateSelect(again, load(at, caller_, kPath - kSize), entered);
  at.CreateStore(name, offset(at, caller_, kSize));
  at.CreateStore(first, offset(at, caller_, kSize + kPath));
  return at.CreateXor(first, at.CreateSExt(again, entries_.word_type()));
}

llvm::Value* Frame::load(llvm::IRBuilder<>& at, llvm::Value* p, int bytes) {
  return at.CreateLoad(entries_.word_type(), offset(at, p, bytes));
}

void Frame::close() {
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::SmallVector<llvm::Instruction*, 4> comebacks;
  for (llvm::Instruction& i : llvm::instructions(function_)) {
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&i))
      returns.push_back(ret);
    else if (llvm::isa<llvm::LandingPadInst>(i) || returns_twice(i))
      comebacks.push_back(i.getNextNode());
  }
  for (llvm::ReturnInst* r : returns) put(way_out(*r), caller_);
  for (llvm::Instruction* i : comebacks) put(*i, own_);
}

// TLS addresses are computed anew where they are used: a coroutine may run on another thread then.
llvm::Value* Frame::slot(llvm::IRBuilder<>& at) {
  llvm::Value* hot = at.CreateThreadLocalAddress(entries_.thread());
  return at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), hot, abi::kThreadFrameOffset);
}

void Frame::put(llvm::Instruction& before, llvm::Value* frame) {
  llvm::IRBuilder<> at(&before);
  at.CreateStore(frame, slot(at), frame == own_ && kIsRead);
}

}  // namespace bigfoot::frontend
