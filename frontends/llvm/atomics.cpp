#include "frontends/llvm/atomics.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace bigfoot::frontend {
namespace {

using llvm::IRBuilder;
using llvm::Value;

// C's numbers, as abi/atomics.def says.
int order_number(llvm::AtomicOrdering o) {
  switch (o) {
    case llvm::AtomicOrdering::Acquire:
      return 2;
    case llvm::AtomicOrdering::Release:
      return 3;
    case llvm::AtomicOrdering::AcquireRelease:
      return 4;
    case llvm::AtomicOrdering::SequentiallyConsistent:
      return 5;
    default:
      return 0;
  }
}

class Rewriter {
 public:
  Rewriter(llvm::Instruction& i, EntryPoints& entries)
      : at_(&i), entries_(entries), layout_(i.getModule()->getDataLayout()) {}

  void load(llvm::LoadInst& i) {
    if (!set_width(i.getType())) return;
    Value* v = call("load", bits_, {i.getPointerOperand(), order(i.getOrdering())});
    replace(i, from_bits(v, i.getType()));
  }

  void store(llvm::StoreInst& i) {
    Value* value = i.getValueOperand();
    if (!set_width(value->getType())) return;
    call("store", at_.getVoidTy(), {i.getPointerOperand(), to_bits(value), order(i.getOrdering())});
    i.eraseFromParent();
  }

  void rmw(llvm::AtomicRMWInst& i) {
    if (!set_width(i.getType())) return;
    if (const char* name = simple_operation(i.getOperation())) {
      Value* v = call(name, bits_,
                      {i.getPointerOperand(), to_bits(i.getValOperand()), order(i.getOrdering())});
      return replace(i, from_bits(v, i.getType()));
    }
    rmw_loop(i);
  }

  void compare_exchange(llvm::AtomicCmpXchgInst& i) {
    llvm::Type* type = i.getNewValOperand()->getType();
    if (!set_width(type)) return;
    Value* expected = to_bits(i.getCompareOperand());
    Value* found = call("compare_exchange", bits_,
                        {i.getPointerOperand(), expected, to_bits(i.getNewValOperand()),
                         order(i.getSuccessOrdering()), order(i.getFailureOrdering())});
    Value* done = at_.CreateICmpEQ(found, expected);
    Value* pair =
        at_.CreateInsertValue(llvm::PoisonValue::get(i.getType()), from_bits(found, type), 0);
    replace(i, at_.CreateInsertValue(pair, done, 1));
  }

  void fence(llvm::FenceInst& i) {
    entries_.call(at_, "fence", {order(i.getOrdering())});
    i.eraseFromParent();
  }

 private:
  static const char* simple_operation(llvm::AtomicRMWInst::BinOp op) {
    switch (op) {
      case llvm::AtomicRMWInst::Xchg:
        return "exchange";
      case llvm::AtomicRMWInst::Add:
        return "fetch_add";
      case llvm::AtomicRMWInst::Sub:
        return "fetch_sub";
      case llvm::AtomicRMWInst::And:
        return "fetch_and";
      case llvm::AtomicRMWInst::Or:
        return "fetch_or";
      case llvm::AtomicRMWInst::Xor:
        return "fetch_xor";
      case llvm::AtomicRMWInst::Nand:
        return "fetch_nand";
      default:
        return nullptr;
    }
  }

  // Everything else (min, max, floating point ...): load, compute, compare-exchange until it holds.
  void rmw_loop(llvm::AtomicRMWInst& i) {
    Value* pointer = i.getPointerOperand();
    Value* first = call("load", bits_, {pointer, at_.getInt32(0)});
    llvm::BasicBlock* head = i.getParent();
    llvm::BasicBlock* rest = head->splitBasicBlock(i.getIterator());
    llvm::BasicBlock* loop = llvm::BasicBlock::Create(i.getContext(), "", head->getParent(), rest);
    head->getTerminator()->setSuccessor(0, loop);
    at_.SetInsertPoint(loop);
    at_.SetCurrentDebugLocation(i.getDebugLoc());
    llvm::PHINode* seen = at_.CreatePHI(bits_, 2);
    seen->addIncoming(first, head);
    Value* next = llvm::buildAtomicRMWValue(i.getOperation(), at_, from_bits(seen, i.getType()),
                                            i.getValOperand());
    Value* found = call("compare_exchange", bits_,
                        {pointer, seen, to_bits(next), order(i.getOrdering()), at_.getInt32(0)});
    seen->addIncoming(found, loop);
    at_.CreateCondBr(at_.CreateICmpEQ(found, seen), rest, loop);
    at_.SetInsertPoint(&i);
    replace(i, from_bits(seen, i.getType()));
  }

  bool set_width(llvm::Type* type) {
    unsigned bits = static_cast<unsigned>(layout_.getTypeStoreSizeInBits(type).getFixedValue());
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) return false;
    bits_ = at_.getIntNTy(bits);
    return true;
  }

  Value* to_bits(Value* v) {
    if (v->getType()->isPointerTy()) return at_.CreatePtrToInt(v, bits_);
    if (v->getType()->isIntegerTy()) return at_.CreateZExtOrTrunc(v, bits_);
    return at_.CreateBitCast(v, bits_);
  }
  Value* from_bits(Value* v, llvm::Type* type) {
    if (type->isPointerTy()) return at_.CreateIntToPtr(v, type);
    if (type->isIntegerTy()) return at_.CreateZExtOrTrunc(v, type);
    return at_.CreateBitCast(v, type);
  }
  Value* order(llvm::AtomicOrdering o) {
    return at_.getInt32(static_cast<unsigned>(order_number(o)));
  }

  Value* call(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
    llvm::SmallVector<llvm::Type*, 5> types;
    for (Value* a : arguments) types.push_back(a->getType());
    auto* type = llvm::FunctionType::get(result, types, false);
    return at_.CreateCall(entries_.atomic(bits_->getBitWidth(), name, type), arguments);
  }

  void replace(llvm::Instruction& i, Value* v) {
    i.replaceAllUsesWith(v);
    i.eraseFromParent();
  }

  IRBuilder<> at_;
  EntryPoints& entries_;
  const llvm::DataLayout& layout_;
  llvm::IntegerType* bits_ = nullptr;
};

}  // namespace

void instrument_atomic(llvm::Instruction& i, EntryPoints& entries, Fields& fields) {
  i.setDebugLoc(fields.at(i.getDebugLoc(), &i));
  Rewriter rewrite(i, entries);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
    rewrite.load(*load);
  else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
    rewrite.store(*store);
  else if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
    rewrite.rmw(*rmw);
  else if (auto* cas = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
    rewrite.compare_exchange(*cas);
  else if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&i))
    rewrite.fence(*fence);
}

}  // namespace bigfoot::frontend
