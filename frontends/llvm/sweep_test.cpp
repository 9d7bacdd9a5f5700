#include "frontends/llvm/sweep_test.h"

#include <llvm/IR/MDBuilder.h>

#include "abi/layout.h"

namespace bigfoot::frontend {
namespace {

// What the test compiles to, for an access at rdi whose place is in rsi (x86-64, in an executable):
//
//     mov   rax, fs:[cursors]
//     mov   rdx, [rax + 64*i] ; sub rdx, rsi ; jne again
//     cmp   fs:[inside], 0 ; jne other       called by the run time itself
//     mov   fs:[inside], 1                   handlers of signals wait, and who stops threads
//     cmp   [__bf_paused], 0 ; jne leave
//     mov   rax, fs:[cursors]                from here on it is nobody else's
//     cmp   [rax + 64*i], rsi ; jne leave
//     mov   rcx, rdi ; sub rcx, [rax + 64*i + at] ; cmp rcx, [rax + 64*i + step] ; jne leave
//     mov   rcx, rdi ; sub rcx, [rax + 64*i + low] ; cmp rcx, [rax + 64*i + span] ; ja leave
//     mov   [rax + 64*i + at], rdi
//     mov   fs:[inside], 0
//     cmp   fs:[signal_pending], 0 ; je done
//     call  __bf_signals_waited
//     jmp   done
//   again:
//     cmp   rdx, kAgain ; jne nothing
//     mov   rdx, rdi ; sub rdx, [rax + 64*i + first] ; imul rdx, [rax + 64*i + inverse]
//     mov   rcx, [rax + 64*i + extent] ; ror rdx, cl ; shr rcx, 6 ; cmp rdx, rcx ; ja other
//     mov   rdx, [rax + 64*i] ; sub rdx, rsi ; cmp rdx, kAgain ; ja other
//
// The first comparison only keeps accesses without a cursor from paying for the rest. The order of
// the rest is that of the run time's own entrance (runtime/context/slow_path.h, sweep_goes_on). Who
// only looks need not enter, but compares the place last: a handler of a signal may have come
// between, or another thread that commits what this one has swept (Footprints::close). An access
// that stays where it is in the loop does no more than that:
//
//     mov   rax, fs:[cursors]
//     cmp   [rax + 64*i + at], rdi ; jne elsewhere
//     mov   rdx, [rax + 64*i] ; sub rdx, rsi ; cmp rdx, kAgain ; jbe done
class SweepTest {
 public:
  SweepTest(llvm::IRBuilder<>& at, EntryPoints& entries, unsigned cursor)
      : at_(at), entries_(entries), cursor_(cursor) {}

  // Of an address that follows the loop.
  void emit(llvm::Value* address, llvm::Value* place, const SweepExits& exits) {
    llvm::Value* more = more_than(place);
    llvm::Value* const table = table_;
    llvm::BasicBlock* again = new_block();
    go_on_if(at_.CreateIsNull(more), again);
    move(address, place, exits);

    at_.SetInsertPoint(again);
    table_ = table;
    fence();  // what was loaded before a call the last time round is not good any more
    go_on_if(at_.CreateICmpEQ(more, at_.getInt64(abi::kAgain)), exits.nothing);
    go_on_if(covers(address), exits.other, likely());
    fence();
    at_.CreateCondBr(is_of(place), exits.done, exits.other, likely());
  }
  // Of one that stays the same in it.
  void emit_staying(llvm::Value* address, llvm::Value* place, const SweepExits& exits) {
    llvm::BasicBlock* elsewhere = new_block();
    go_on_if(at_.CreateICmpEQ(field(offsetof(abi::Cursor, at)), address), elsewhere);
    fence();
    at_.CreateCondBr(is_of(place), exits.done, exits.nothing, likely());
    at_.SetInsertPoint(elsewhere);
    at_.CreateCondBr(is_of(place), exits.other, exits.nothing);
  }

 private:
  void move(llvm::Value* address, llvm::Value* place, const SweepExits& exits) {
    llvm::BasicBlock* leave = new_block();
    go_on_if(is_zero(thread_field(abi::kThreadInsideOffset)), exits.other, likely());
    enter();
    go_on_if(is_zero(paused()), leave, likely());
    go_on_if(at_.CreateICmpEQ(field(offsetof(abi::Cursor, place)), place), leave, likely());
    go_on_if(is_next(address), leave, likely());
    llvm::Value* from_low = at_.CreateSub(address, field(offsetof(abi::Cursor, low)));
    go_on_if(at_.CreateICmpULE(from_low, field(offsetof(abi::Cursor, span))), leave, likely());
    store(address, field_address(offsetof(abi::Cursor, at)));
    set_inside(0);

    llvm::BasicBlock* signal = new_block();
    at_.CreateCondBr(is_zero(thread_field(abi::kThreadSignalOffset)), exits.done, signal, likely());
    at_.SetInsertPoint(signal);
    entries_.call(at_, "signals_waited", {});
    at_.CreateBr(exits.done);

    at_.SetInsertPoint(leave);
    set_inside(0);
    at_.CreateBr(exits.other);
  }
  // What the cursor's place has more than the name.
  llvm::Value* more_than(llvm::Value* place) {
    return at_.CreateSub(field(offsetof(abi::Cursor, place)), place);
  }
  llvm::Value* is_of(llvm::Value* place) {
    return at_.CreateICmpULE(more_than(place), at_.getInt64(abi::kAgain));
  }
  llvm::Value* is_next(llvm::Value* address) {
    llvm::Value* by = at_.CreateSub(address, field(offsetof(abi::Cursor, at)));
    return at_.CreateICmpEQ(by, field(offsetof(abi::Cursor, step)));
  }
  // As abi::covers().
  llvm::Value* covers(llvm::Value* address) {
    llvm::Value* from_first = at_.CreateSub(address, field(offsetof(abi::Cursor, first)));
    llvm::Value* product = at_.CreateMul(from_first, field(offsetof(abi::Cursor, inverse)));
    llvm::Value* extent = field(offsetof(abi::Cursor, extent));
    llvm::Value* number = at_.CreateIntrinsic(llvm::Intrinsic::fshr, {entries_.word_type()},
                                              {product, product, extent});
    return at_.CreateICmpULE(number, at_.CreateLShr(extent, 6));
  }

  llvm::BasicBlock* new_block() {
    return llvm::BasicBlock::Create(at_.getContext(), "", at_.GetInsertBlock()->getParent());
  }
  llvm::MDNode* likely() {
    return llvm::MDBuilder(at_.getContext()).createBranchWeights((1u << 20) - 1, 1);
  }
  void go_on_if(llvm::Value* condition, llvm::BasicBlock* otherwise,
                llvm::MDNode* weights = nullptr) {
    llvm::BasicBlock* next = new_block();
    at_.CreateCondBr(condition, next, otherwise, weights);
    at_.SetInsertPoint(next);
  }
  llvm::Value* is_zero(llvm::Value* v) { return at_.CreateIsNull(v); }

  // All but `paused` is the thread's own while it is inside, and the fences keep it there; a load
  // that is not atomic can be part of the comparison. While it only looks, others change no more
  // than `place` and `at`, to zero.
  llvm::LoadInst* load(llvm::Type* type, llvm::Value* pointer) {
    llvm::LoadInst* l = at_.CreateLoad(type, pointer);
    no_sanitize(l);
    return l;
  }
  void store(llvm::Value* value, llvm::Value* pointer) {
    no_sanitize(at_.CreateStore(value, pointer));
  }
  llvm::Value* paused() {
    llvm::LoadInst* l = load(at_.getInt32Ty(), entries_.paused());
    l->setAtomic(llvm::AtomicOrdering::Monotonic);
    return l;
  }
  void no_sanitize(llvm::Instruction* i) {
    i->setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(at_.getContext(), {}));
  }
  llvm::Value* in_thread(unsigned offset) {
    llvm::Value* hot = at_.CreateThreadLocalAddress(entries_.thread());
    return at_.CreateConstInBoundsGEP1_64(at_.getInt8Ty(), hot, offset);
  }
  llvm::Value* thread_field(unsigned offset) { return load(at_.getInt32Ty(), in_thread(offset)); }
  llvm::Value* field_address(std::size_t offset) {
    return at_.CreateConstInBoundsGEP1_64(at_.getInt8Ty(), table_,
                                          cursor_ * sizeof(abi::Cursor) + offset);
  }
  llvm::Value* field(std::size_t offset) {
    if (table_ == nullptr) table_ = load(at_.getPtrTy(), in_thread(abi::kThreadCursorsOffset));
    return load(entries_.word_type(), field_address(offset));
  }
  void set_inside(unsigned to) {
    fence();
    store(at_.getInt32(to), in_thread(abi::kThreadInsideOffset));
    fence();
  }
  void enter() {
    set_inside(1);
    table_ = nullptr;  // a handler may have changed everything until now
  }
  void fence() {
    at_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  }

  llvm::IRBuilder<>& at_;
  EntryPoints& entries_;
  const unsigned cursor_;
  llvm::Value* table_ = nullptr;
};

}  // namespace

SweepSites::SweepSites(llvm::Module& module, std::size_t count) {
  if (count == 0) return;
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), count);
  table_ =
      new llvm::GlobalVariable(module, type, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                               llvm::ConstantAggregateZero::get(type), "bigfoot.sites");
  table_->setAlignment(llvm::Align(abi::kCursors));
}

SweepSites::Site SweepSites::next() {
  auto* byte = llvm::Type::getInt8Ty(table_->getContext());
  auto* index = llvm::ConstantInt::get(llvm::Type::getInt64Ty(table_->getContext()), used_);
  return {llvm::ConstantExpr::getInBoundsGetElementPtr(byte, table_, index),
          used_++ % abi::kCursors};
}

llvm::Value* place_of(llvm::IRBuilder<>& at, EntryPoints& entries, const SweepSites::Site& site) {
  llvm::Value* hot = at.CreateThreadLocalAddress(entries.thread());
  llvm::Value* frame = at.CreateLoad(
      at.getPtrTy(), at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), hot, abi::kThreadFrameOffset));
  llvm::Value* path = at.CreateLoad(
      entries.word_type(),
      at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), frame, offsetof(abi::Frame, path)));
  return at.CreateXor(path, at.CreatePtrToInt(site.address, entries.word_type()));
}

void emit_sweep_test(llvm::IRBuilder<>& at, EntryPoints& entries, llvm::Value* address,
                     llvm::Value* place, unsigned cursor, Following follows,
                     const SweepExits& exits) {
  SweepTest test(at, entries, cursor);
  llvm::Value* number = at.CreatePtrToInt(address, entries.word_type());
  if (follows == Following::kLoop)
    test.emit(number, place, exits);
  else
    test.emit_staying(number, place, exits);
}

}  // namespace bigfoot::frontend
