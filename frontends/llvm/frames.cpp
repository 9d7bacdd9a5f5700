#include "frontends/llvm/frames.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "abi/layout.h"

namespace bigfoot::frontend {
namespace {

class FrameKeeper {
 public:
  FrameKeeper(llvm::Function& f, EntryPoints& entries)
      : entries_(entries), at_(&*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {}

  void push() {
    top_ = slot(at_);
    caller_ = at_.CreateLoad(at_.getPtrTy(), top_);
    llvm::Value* pc = at_.CreatePtrToInt(
        at_.CreateIntrinsic(at_.getPtrTy(), llvm::Intrinsic::returnaddress, {at_.getInt32(0)}),
        entries_.word_type());
    llvm::Value* path =
        at_.CreateLoad(entries_.word_type(), offset(caller_, offsetof(abi::Frame, path)));
    path = at_.CreateMul(at_.CreateXor(path, pc), at_.getInt64(abi::kPathMultiplier));
    own_ = offset(caller_, sizeof(abi::Frame));
    at_.CreateStore(pc, own_);
    at_.CreateStore(path, offset(own_, offsetof(abi::Frame, path)));
    at_.CreateStore(own_, top_);
  }

  // TLS addresses are computed anew where they are used: a coroutine may run on another thread
  // then.
  void pop_before(llvm::Instruction& i) { put(i, caller_); }
  void restore_before(llvm::Instruction& i) { put(i, own_); }

 private:
  llvm::Value* slot(llvm::IRBuilder<>& at) {
    llvm::Value* hot = at.CreateThreadLocalAddress(entries_.thread());
    return at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), hot, abi::kThreadFrameOffset);
  }
  llvm::Value* offset(llvm::Value* p, unsigned bytes) {
    return at_.CreateConstInBoundsGEP1_64(at_.getInt8Ty(), p, bytes);
  }
  void put(llvm::Instruction& before, llvm::Value* frame) {
    llvm::IRBuilder<> at(&before);
    at.CreateStore(frame, slot(at));
  }

  EntryPoints& entries_;
  llvm::IRBuilder<> at_;
  llvm::Value* top_ = nullptr;
  llvm::Value* caller_ = nullptr;
  llvm::Value* own_ = nullptr;
};

// The frame has to be gone before a call that reuses our stack frame.
llvm::Instruction& way_out(llvm::ReturnInst& ret) {
  if (llvm::CallInst* tail = ret.getParent()->getTerminatingMustTailCall()) return *tail;
  return ret;
}

bool returns_twice(const llvm::Instruction& i) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  return call != nullptr && call->hasFnAttr(llvm::Attribute::ReturnsTwice);
}

}  // namespace

void maintain_frame(llvm::Function& f, EntryPoints& entries) {
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::SmallVector<llvm::Instruction*, 4> comebacks;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&i))
      returns.push_back(ret);
    else if (llvm::isa<llvm::LandingPadInst>(i) || returns_twice(i))
      comebacks.push_back(i.getNextNode());
  }
  FrameKeeper keeper(f, entries);
  keeper.push();
  for (llvm::ReturnInst* r : returns) keeper.pop_before(way_out(*r));
  for (llvm::Instruction* i : comebacks) keeper.restore_before(*i);
}

}  // namespace bigfoot::frontend
