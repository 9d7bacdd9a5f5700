#include "frontends/llvm/x86_masks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <numeric>

namespace bigfoot::frontend {
namespace {

// The sign of a mask's element, floating-point or not, says whether the element takes part.
llvm::Value* signs(llvm::IRBuilder<>& at, llvm::Value* mask) {
  auto* type = llvm::cast<llvm::FixedVectorType>(mask->getType());
  llvm::Value* bits = at.CreateBitCast(mask, llvm::VectorType::getInteger(type));
  return at.CreateICmpSLT(bits, llvm::Constant::getNullValue(bits->getType()));
}

llvm::Value* load(llvm::IRBuilder<>& at, llvm::IntrinsicInst& i) {
  return at.CreateMaskedLoad(i.getType(), i.getArgOperand(0), llvm::Align(1),
                             signs(at, i.getArgOperand(1)),
                             llvm::Constant::getNullValue(i.getType()));
}

llvm::Value* store(llvm::IRBuilder<>& at, llvm::IntrinsicInst& i) {
  return at.CreateMaskedStore(i.getArgOperand(2), i.getArgOperand(0), llvm::Align(1),
                              signs(at, i.getArgOperand(1)));
}

// gather(source, base, indices, mask, scale); indices or mask may have more elements than the
// result.
llvm::Value* gather(llvm::IRBuilder<>& at, llvm::IntrinsicInst& i) {
  auto* type = llvm::cast<llvm::FixedVectorType>(i.getType());
  llvm::SmallVector<int, 8> first(type->getNumElements());
  std::iota(first.begin(), first.end(), 0);
  llvm::Value* indices = at.CreateShuffleVector(i.getArgOperand(2), first);
  auto* wide = llvm::FixedVectorType::get(at.getInt64Ty(), type->getNumElements());
  llvm::Value* scale = at.CreateZExt(i.getArgOperand(4), at.getInt64Ty());
  llvm::Value* offsets = at.CreateMul(at.CreateSExt(indices, wide),
                                      at.CreateVectorSplat(type->getNumElements(), scale));
  llvm::Value* addresses = at.CreateGEP(at.getInt8Ty(), i.getArgOperand(1), offsets);
  llvm::Value* mask = at.CreateShuffleVector(signs(at, i.getArgOperand(3)), first);
  return at.CreateMaskedGather(type, addresses, llvm::Align(1), mask, i.getArgOperand(0));
}

struct Family {
  llvm::StringRef name;  // of the intrinsic, without what follows
  llvm::Value* (*make)(llvm::IRBuilder<>&, llvm::IntrinsicInst&);
};
constexpr Family kFamilies[] = {{"llvm.x86.avx.maskload.", load},
                                {"llvm.x86.avx2.maskload.", load},
                                {"llvm.x86.avx.maskstore.", store},
                                {"llvm.x86.avx2.maskstore.", store},
                                {"llvm.x86.avx2.gather.", gather}};

}  // namespace

void make_masks_generic(llvm::Function& f) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(f))) {
    auto* i = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (i == nullptr) continue;
    const llvm::StringRef name = i->getCalledFunction()->getName();
    if (!name.starts_with("llvm.x86.avx")) continue;
    for (const Family& family : kFamilies) {
      if (!name.starts_with(family.name)) continue;
      llvm::IRBuilder<> at(i);  // with its position
      i->replaceAllUsesWith(family.make(at, *i));
      i->eraseFromParent();
      break;
    }
  }
}

}  // namespace bigfoot::frontend
