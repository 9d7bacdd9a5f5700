#include "frontends/llvm/checks.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "abi/layout.h"

namespace bigfoot::frontend {
namespace {

// What the inlined test compiles to, for a write of 8 bytes at rdi (x86-64):
//
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

llvm::MDNode* unlikely(llvm::LLVMContext& c) {
  return llvm::MDBuilder(c).createBranchWeights(1, (1u << 20) - 1);
}

void no_sanitize(llvm::Instruction* i) {
  i->setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(i->getContext(), {}));
}

class InlineTest {
 public:
  InlineTest(llvm::IRBuilder<>& at, EntryPoints& entries, llvm::Value* address,
             unsigned granularity)
      : at_(at), entries_(entries), granularity_(granularity) {
    address_ = at.CreatePtrToInt(address, entries.word_type());
  }

  // Not zero if the region has cells.
  llvm::Value* region() {
    llvm::Value* index = at_.CreateLShr(address_, abi::kRegionBits);
    llvm::GlobalVariable* directory = entries_.directory(granularity_);
    llvm::Value* entry = at_.CreateGEP(entries_.word_type(), directory, index);
    region_ = load(entries_.word_type(), entry, llvm::Align(8));
    return region_;
  }

  // True if every cell of `cells` shows that this epoch has done such an access already.
  llvm::Value* settled(unsigned cells, bool writes) {
    unsigned scale = abi::kCellBytes / granularity_;
    llvm::Value* cell = at_.CreateAdd(region_, at_.CreateMul(address_, word(scale)));
    llvm::Type* stamp_type = llvm::Type::getInt32Ty(at_.getContext());
    thread_ = at_.CreateThreadLocalAddress(entries_.thread());
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

 private:
  llvm::ConstantInt* word(unsigned v) { return llvm::ConstantInt::get(entries_.word_type(), v); }
  llvm::Value* load(llvm::Type* type, llvm::Value* pointer, llvm::Align align) {
    llvm::LoadInst* l = at_.CreateAlignedLoad(type, pointer, align);
    l->setAtomic(llvm::AtomicOrdering::Monotonic);
    no_sanitize(l);
    return l;
  }
  llvm::Value* stamp(llvm::Value* cell, unsigned offset, llvm::Type* type) {
    llvm::Value* at = at_.CreateIntToPtr(at_.CreateAdd(cell, word(offset)), at_.getPtrTy());
    return load(type, at, llvm::Align(4));
  }
  // The word that the thread knows in the place of `read`.
  llvm::Value* known(llvm::Value* read) {
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

  llvm::IRBuilder<>& at_;
  EntryPoints& entries_;
  unsigned granularity_;
  llvm::Value* address_ = nullptr;
  llvm::Value* region_ = nullptr;
  llvm::Value* thread_ = nullptr;
};

bool has_plane(unsigned bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

// Vectors of whole words are tested word by word up to here; longer ones go straight to the call.
constexpr unsigned kMaxInlineBytes = 32;

}  // namespace

llvm::DebugLoc position(const llvm::Instruction& i) {
  auto real = [](const llvm::DebugLoc& l) { return l && l.getLine() != 0; };
  if (real(i.getDebugLoc())) return i.getDebugLoc();
  if (const llvm::Value* address = llvm::getLoadStorePointerOperand(&i))
    for (const llvm::User* u : address->users())
      if (auto* other = llvm::dyn_cast<llvm::Instruction>(u);
          other && other->getFunction() == i.getFunction() &&
          llvm::getLoadStorePointerOperand(other) == address && real(other->getDebugLoc()))
        return other->getDebugLoc();
  for (const llvm::User* u : i.users())
    if (auto* user = llvm::dyn_cast<llvm::Instruction>(u); user && real(user->getDebugLoc()))
      return user->getDebugLoc();
  for (const llvm::Instruction* n = i.getNextNode(); n != nullptr; n = n->getNextNode())
    if (real(n->getDebugLoc())) return n->getDebugLoc();
  for (const llvm::Instruction* n = i.getPrevNode(); n != nullptr; n = n->getPrevNode())
    if (real(n->getDebugLoc())) return n->getDebugLoc();
  return i.getDebugLoc();
}

namespace {

// A block from which control only gets to where an exception goes on or the program ends. An
// inlined test there buys nothing and costs its share of the compile time: of LevelDB's checks one
// in seven stands before a throw or a failed assertion.
bool is_cold(const llvm::BasicBlock& start) {
  constexpr std::size_t kMostBlocks = 8;  // cleanups are short
  llvm::SmallSetVector<const llvm::BasicBlock*, kMostBlocks> seen;
  seen.insert(&start);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const llvm::Instruction* end = seen[i]->getTerminator();
    if (llvm::isa<llvm::ReturnInst>(end)) return false;
    for (const llvm::BasicBlock* next : llvm::successors(seen[i])) {
      if (next == &start || (seen.insert(next) && seen.size() > kMostBlocks)) return false;
    }
  }
  return true;
}

}  // namespace

void CheckEmitter::check(const PlainAccess& access) {
  if (access.vtable_pointer) {
    llvm::IRBuilder<> at(access.instruction);
    at.SetCurrentDebugLocation(position(*access.instruction));
    auto* store = llvm::cast<llvm::StoreInst>(access.instruction);
    llvm::Value* value = store->getValueOperand();
    if (value->getType()->isPointerTy()) {
      entries_.call(at, "write_vptr", {access.address, value});
      return;
    }
  }
  check(SingleCheck{access.instruction, access.address, access.writes, access.bytes, access.align,
                    position(*access.instruction), access.overwritten_by});
}

void CheckEmitter::check(const SingleCheck& check) {
  bool aligned = check.align.value() >= check.bytes;
  bool sized = has_plane(check.bytes) && aligned;
  bool words = check.bytes % 8 == 0 && check.align.value() >= 8;
  if (is_cold(*check.before->getParent())) {
    llvm::IRBuilder<> at(check.before);
    at.SetCurrentDebugLocation(check.where);
    slow_call(at, check, check.writes ? "write" : "read", sized);
    return;
  }
  if (sized) return inline_check(check, check.bytes);
  if (words && check.bytes <= kMaxInlineBytes) return inline_check(check, 8);
  bytes_check(*check.before, check.address,
              llvm::ConstantInt::get(entries_.word_type(), check.bytes), check.writes, check.where);
}

void CheckEmitter::check(const RangeCheck& check) {
  llvm::IRBuilder<> at(check.before);
  at.SetCurrentDebugLocation(check.where);
  if (check.step == check.width)
    entries_.call(at, check.writes ? "write_elements" : "read_elements",
                  {check.address, check.extent, at.getInt32(check.unit)});
  else
    entries_.call(at, check.writes ? "write_strided" : "read_strided",
                  {check.address, check.extent, at.getInt64(check.step), at.getInt64(check.width),
                   at.getInt32(check.unit)});
}

//   head --> region --+--> test --+--> rest
//                     +--> slow <-+     ^
//                            +----------+
//
// Where a write of the same bytes follows, the slow side of a read tries to do both as one step;
// the write's own test then passes.
void CheckEmitter::inline_check(const SingleCheck& access, unsigned granularity) {
  llvm::Instruction* before = access.before;
  llvm::LLVMContext& c = function_.getContext();
  llvm::BasicBlock* head = before->getParent();
  llvm::BasicBlock* rest = head->splitBasicBlock(before->getIterator());
  llvm::BasicBlock* test = llvm::BasicBlock::Create(c, "", &function_, rest);
  llvm::BasicBlock* slow = llvm::BasicBlock::Create(c, "", &function_, rest);
  head->getTerminator()->eraseFromParent();

  llvm::IRBuilder<> at(head);
  at.SetCurrentDebugLocation(access.where);
  InlineTest inlined(at, entries_, access.address, granularity);
  llvm::Value* absent = at.CreateIsNull(inlined.region());
  at.CreateCondBr(absent, slow, test, unlikely(c));

  at.SetInsertPoint(test);
  llvm::Value* settled = inlined.settled(access.bytes / granularity, access.writes);
  at.CreateCondBr(at.CreateNot(settled), slow, rest, unlikely(c));

  at.SetInsertPoint(slow);
  bool sized = access.bytes == granularity;
  if (access.overwritten_by != nullptr) {
    llvm::BasicBlock* apart = llvm::BasicBlock::Create(c, "", &function_, rest);
    at.SetCurrentDebugLocation(position(*access.overwritten_by));
    llvm::Value* done = slow_call(at, access, "update", sized);
    at.CreateCondBr(at.CreateIsNull(done), apart, rest, unlikely(c));
    at.SetInsertPoint(apart);
    at.SetCurrentDebugLocation(access.where);
  }
  slow_call(at, access, access.writes ? "write" : "read", sized);
  at.CreateBr(rest);
}

llvm::CallInst* CheckEmitter::slow_call(llvm::IRBuilder<>& at, const SingleCheck& check,
                                        llvm::StringRef operation, bool sized) {
  if (sized)
    return entries_.call(at, (operation + llvm::Twine(check.bytes)).str(), {check.address});
  return entries_.call(at, (operation + "_range").str(), {check.address, at.getInt64(check.bytes)});
}

void CheckEmitter::bytes_check(llvm::Instruction& before, llvm::Value* address, llvm::Value* bytes,
                               bool writes, const llvm::DebugLoc& where) {
  llvm::IRBuilder<> at(&before);
  at.SetCurrentDebugLocation(where);
  bytes = at.CreateZExtOrTrunc(bytes, entries_.word_type());
  entries_.call(at, writes ? "write_range" : "read_range", {address, bytes});
}

void CheckEmitter::check(llvm::AnyMemIntrinsic& memory) {
  SharedMemory shared;
  if (auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&memory);
      transfer != nullptr && shared.may_be_shared(transfer->getRawSource()))
    bytes_check(memory, transfer->getRawSource(), memory.getLength(), false, position(memory));
  if (shared.may_be_shared(memory.getRawDest()))
    bytes_check(memory, memory.getRawDest(), memory.getLength(), true, position(memory));
}

namespace {

struct MaskedAccess {
  llvm::Value* pointers;  // one address, or a vector of them
  llvm::Value* mask;
  llvm::Type* element;
  unsigned lanes;
  bool writes;
  bool packed;  // expandload, compressstore: the selected lanes are adjacent in memory
};

MaskedAccess describe(llvm::IntrinsicInst& i) {
  bool writes = i.getType()->isVoidTy();
  auto* vector =
      llvm::cast<llvm::FixedVectorType>(writes ? i.getArgOperand(0)->getType() : i.getType());
  llvm::Value* pointers = i.getArgOperand(writes ? 1 : 0);
  // The mask is the one operand that is a vector of bits.
  llvm::Value* mask = nullptr;
  for (llvm::Value* a : i.args())
    if (a->getType()->isIntOrIntVectorTy(1) && a->getType()->isVectorTy()) mask = a;
  bool packed = i.getIntrinsicID() == llvm::Intrinsic::masked_expandload ||
                i.getIntrinsicID() == llvm::Intrinsic::masked_compressstore;
  return {pointers, mask, vector->getElementType(), vector->getNumElements(), writes, packed};
}

}  // namespace

void CheckEmitter::check(llvm::IntrinsicInst& vector) {
  MaskedAccess m = describe(vector);
  if (m.mask == nullptr || m.lanes > 64) return;
  llvm::IRBuilder<> at(&vector);
  const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
  auto element = static_cast<unsigned>(layout.getTypeStoreSize(m.element).getFixedValue());
  llvm::Value* bits =
      at.CreateZExt(at.CreateBitCast(m.mask, at.getIntNTy(m.lanes)), entries_.word_type());
  if (m.packed) {
    llvm::Value* count = at.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
    bytes_check(vector, m.pointers, at.CreateMul(count, at.getInt64(element)), m.writes,
                position(vector));
  } else if (!m.pointers->getType()->isVectorTy()) {
    entries_.call(at, m.writes ? "write_masked" : "read_masked",
                  {m.pointers, at.getInt32(element), bits});
  } else {
    llvm::IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst* addresses = entry.CreateAlloca(m.pointers->getType());
    at.CreateStore(m.pointers, addresses);
    entries_.call(at, m.writes ? "write_lanes" : "read_lanes",
                  {addresses, at.getInt32(m.lanes), at.getInt32(element), bits});
  }
}

}  // namespace bigfoot::frontend
