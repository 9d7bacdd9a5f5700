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

llvm::Value* offset(llvm::IRBuilder<>& at, llvm::Value* p, unsigned bytes) {
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
  llvm::Value* path =
      at.CreateLoad(entries_.word_type(), offset(at, caller_, offsetof(abi::Frame, path)));
  path = at.CreateMul(at.CreateXor(path, pc), at.getInt64(abi::kPathMultiplier));
  own_ = offset(at, caller_, sizeof(abi::Frame));
  at.CreateStore(pc, own_);
  at.CreateStore(path, offset(at, own_, offsetof(abi::Frame, path)));
  at.CreateStore(own_, top, kIsRead);
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
