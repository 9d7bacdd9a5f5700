#include "frontends/llvm/epoch_test.h"

#include <llvm/IR/MDBuilder.h>

#include "abi/layout.h"

namespace bigfoot::frontend {

// What the inlined test compiles to, for a write of 8 bytes at rdi (x86-64):
//
//     test  dil, 7 ; jne slow                not aligned, whatever its type says
//     mov   rax, rdi ; shr rax, 26
//     mov   rax, [__bf_shadow_8 + 8*rax]     the region's cells
//     test  rax, rax ; je slow               nothing recorded there yet
//     mov   ecx, fs:[__bf_thread]            this thread's stamp
//     cmp   [rax + 2*rdi], ecx ; jne slow    the cell's write stamp
//
// For a read the cell's read word has to be one that the thread knows to contain its epoch, its own
// stamp or a set of reads, so that what several threads only read is settled inline as well:
//
//     mov   ecx, [rax + 2*rdi + 8]           the cell's read word
//     mov   edx, ecx ; rol edx ; and edx, 127
//     cmp   fs:[__bf_thread + 32 + 4*rdx], ecx ; jne slow
//
// A piece of less than 8 bytes has its cell in a leaf (abi/layout.h), here one of 4:
//
//     mov   rcx, rdi ; shr rcx, 7
//     mov   rax, [rax + 8*rcx]               behind the region's test
//     test  rax, rax ; je slow
//     mov   ecx, fs:[__bf_thread]
//     cmp   [rax + 4*rdi], ecx ; jne slow

EpochTest::EpochTest(llvm::IRBuilder<>& at, EntryPoints& entries, llvm::Value* address,
                     unsigned granularity)
    : at_(at), entries_(entries), granularity_(granularity) {
  address_ = at.CreatePtrToInt(address, entries.word_type());
}

void EpochTest::find_cells(unsigned cells, llvm::BasicBlock* absent) {
  if (granularity_ > 1)
    go_on_unless(at_.CreateIsNotNull(at_.CreateAnd(address_, word(granularity_ - 1))), absent);
  llvm::GlobalVariable* directory = entries_.directory(granularity_);
  llvm::Value* index = at_.CreateLShr(address_, abi::kRegionBits);
  cells_ = load(entries_.word_type(), at_.CreateGEP(entries_.word_type(), directory, index),
                llvm::Align(8));
  go_on_unless(at_.CreateIsNull(cells_), absent);
  if (granularity_ == 8) return;
  const unsigned shift = abi::leaf_shift(granularity_);
  if (cells > 1) {
    const unsigned span = 1u << shift, bytes = cells * granularity_;
    llvm::Value* in_leaf = at_.CreateAnd(address_, word(span - 1));
    go_on_unless(at_.CreateICmpUGT(in_leaf, word(span - bytes)), absent);
  }
  llvm::Value* leaf = at_.CreateShl(at_.CreateLShr(address_, shift), 3);
  cells_ = load(entries_.word_type(),
                at_.CreateIntToPtr(at_.CreateAdd(cells_, leaf), at_.getPtrTy()), llvm::Align(8));
  go_on_unless(at_.CreateIsNull(cells_), absent);
}

void EpochTest::go_on_unless(llvm::Value* condition, llvm::BasicBlock* otherwise) {
  llvm::BasicBlock* here = at_.GetInsertBlock();
  llvm::BasicBlock* next =
      llvm::BasicBlock::Create(at_.getContext(), "", here->getParent(), otherwise);
  at_.CreateCondBr(condition, otherwise, next,
                   llvm::MDBuilder(at_.getContext()).createBranchWeights(1, (1u << 20) - 1));
  at_.SetInsertPoint(next);
}

llvm::Value* EpochTest::settled(unsigned cells, bool writes) {
  llvm::Value* cell = first_cell();
  llvm::Type* stamp_type = llvm::Type::getInt32Ty(at_.getContext());
  unsigned offset = writes ? abi::kWriteStampOffset : abi::kReadStampOffset;
  llvm::Value* mine = writes ? load(stamp_type, thread_, llvm::Align(4)) : nullptr;
  llvm::Value* all = nullptr;
  for (unsigned i = 0; i < cells; ++i) {
    llvm::Value* found = stamp(cell, i * abi::kCellBytes + offset, stamp_type);
    llvm::Value* one = at_.CreateICmpEQ(found, writes ? mine : known(found));
    all = all == nullptr ? one : at_.CreateAnd(all, one);
  }
  return all;
}

// The number is in the half that has the write stamp, so for a write one comparison tells.
llvm::Value* EpochTest::group_settled(unsigned words, bool writes) {
  llvm::Value* cell = first_cell();
  const std::uint64_t count = std::uint64_t{words - 1} << abi::kGroupShift;
  const auto half = [&] {
    return load(entries_.word_type(), pointer(cell, abi::kWriteStampOffset), llvm::Align(8));
  };
  if (!writes) {
    // The number last: a signal handler of this thread may read the first word alone in between,
    // which leaves its stamp there and cuts the group; or write a byte of it, after which the half is
    // marked, and has no number.
    llvm::Value* found = stamp(cell, abi::kReadStampOffset, at_.getInt32Ty());
    at_.CreateFence(llvm::AtomicOrdering::Acquire, llvm::SyncScope::SingleThread);
    llvm::Value* whole =
        at_.CreateICmpEQ(at_.CreateAnd(half(), abi::kGroupMask | abi::kMarkedBit), at_.getInt64(count));
    return at_.CreateAnd(at_.CreateICmpEQ(found, known(found)), whole);
  }
  llvm::Value* mine = load(at_.getInt32Ty(), thread_, llvm::Align(4));
  llvm::Value* wanted = at_.CreateOr(at_.CreateZExt(mine, entries_.word_type()), count);
  llvm::Value* told = at_.CreateAnd(half(), abi::kGroupMask | 0xffffffffu);
  return at_.CreateICmpEQ(told, wanted);
}

llvm::Value* EpochTest::first_cell() {
  unsigned scale = abi::kCellBytes / granularity_;
  thread_ = at_.CreateThreadLocalAddress(entries_.thread());
  return at_.CreateAdd(cells_, at_.CreateMul(address_, word(scale)));
}

llvm::Value* EpochTest::pointer(llvm::Value* cell, unsigned offset) {
  return at_.CreateIntToPtr(at_.CreateAdd(cell, word(offset)), at_.getPtrTy());
}

llvm::ConstantInt* EpochTest::word(unsigned v) {
  return llvm::ConstantInt::get(entries_.word_type(), v);
}
llvm::Value* EpochTest::load(llvm::Type* type, llvm::Value* pointer, llvm::Align align) {
  llvm::LoadInst* l = at_.CreateAlignedLoad(type, pointer, align);
  l->setAtomic(llvm::AtomicOrdering::Monotonic);
  l->setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(at_.getContext(), {}));
  return l;
}

llvm::Value* EpochTest::stamp(llvm::Value* cell, unsigned offset, llvm::Type* type) {
  return load(type, pointer(cell, offset), llvm::Align(4));
}

llvm::Value* EpochTest::known(llvm::Value* read) {
  llvm::Type* type = read->getType();
  llvm::Value* rotated =
      at_.CreateIntrinsic(llvm::Intrinsic::fshl, {type},
                          {read, read, llvm::ConstantInt::get(type, abi::kKnownRotation)});
  llvm::Value* index =
      at_.CreateZExt(at_.CreateAnd(rotated, abi::kKnownReads - 1), entries_.word_type());
  llvm::Value* table =
      at_.CreateConstInBoundsGEP1_64(at_.getInt8Ty(), thread_, abi::kThreadKnownReadsOffset);
  return load(type, at_.CreateGEP(type, table, index), llvm::Align(4));
}

}  // namespace bigfoot::frontend
