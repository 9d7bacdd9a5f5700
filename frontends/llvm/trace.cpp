#include "frontends/llvm/trace.h"

#include "abi/layout.h"

namespace bigfoot::frontend {
namespace {

using abi::AccessCounters;

class Before : public llvm::IRBuilder<> {
 public:
  Before(llvm::Instruction* i, const llvm::DebugLoc& where) : llvm::IRBuilder<>(i) {
    SetCurrentDebugLocation(where);
  }
};

// Elements of `unit` bytes that a range check covers; `extent` may be negative, which is none.
llvm::Value* elements(llvm::IRBuilder<>& at, const RangeCheck& check) {
  llvm::Value* extent =
      at.CreateBinaryIntrinsic(llvm::Intrinsic::smax, check.extent, at.getInt64(0));
  llvm::Value* runs =
      at.CreateUDiv(at.CreateAdd(extent, at.getInt64(check.step - 1)), at.getInt64(check.step));
  const std::uint64_t unit = check.unit == RangeCheck::kNoElements ? 1 : check.unit;
  return at.CreateMul(runs, at.getInt64(check.width / unit));
}

}  // namespace

void Tracer::add(llvm::IRBuilder<>& at, unsigned counter, llvm::Value* amount) {
  llvm::Value* all = at.CreateThreadLocalAddress(entries_.counters());
  llvm::Value* one = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), all, counter);
  llvm::MDNode* ours = llvm::MDNode::get(at.getContext(), {});
  llvm::LoadInst* old = at.CreateAlignedLoad(entries_.word_type(), one, llvm::Align(8));
  old->setMetadata(llvm::LLVMContext::MD_nosanitize, ours);
  llvm::StoreInst* now = at.CreateAlignedStore(at.CreateAdd(old, amount), one, llvm::Align(8));
  now->setMetadata(llvm::LLVMContext::MD_nosanitize, ours);
}

void Tracer::add_one(llvm::IRBuilder<>& at, unsigned counter) {
  if (options_.count) add(at, counter, at.getInt64(1));
}

void Tracer::log_access(llvm::IRBuilder<>& at, llvm::Value* address, llvm::Value* bytes,
                        bool writes) {
  if (options_.verify) entries_.call(at, "log_access", {address, bytes, at.getInt32(writes)});
}

void Tracer::log_check(llvm::IRBuilder<>& at, const Bytes& b) {
  if (!options_.verify) return;
  entries_.call(
      at, "log_check",
      {b.address, b.extent, at.getInt64(b.step), at.getInt64(b.width), at.getInt32(b.writes)});
}

void Tracer::access(const PlainAccess& access) {
  Before at(access.instruction, position(*access.instruction));
  add_one(at, offsetof(AccessCounters, accesses));
  llvm::Value* bytes = access.length == nullptr
                           ? at.getInt64(access.bytes)
                           : at.CreateZExtOrTrunc(access.length, entries_.word_type());
  log_access(at, access.address, bytes, access.writes);
}

void Tracer::check(const PlainAccess& access) {
  check(SingleCheck{access.instruction, access.address, access.writes, access.bytes, access.align,
                    position(*access.instruction), access.instruction});
}

void Tracer::check(const SingleCheck& check) {
  Before at(check.before, check.where);
  add_one(at, offsetof(AccessCounters, single_checks));
  log_check(at, {check.address, at.getInt64(check.bytes), check.bytes, check.bytes, check.writes});
}

void Tracer::check(const RangeCheck& check) {
  Before at(check.before, check.where);
  const bool strided = check.step != check.width;
  add_one(at, strided ? offsetof(AccessCounters, strided_checks)
                      : offsetof(AccessCounters, range_checks));
  if (options_.count) add(at, offsetof(AccessCounters, range_elements), elements(at, check));
  log_check(at, {check.address, check.extent, check.step, check.width, check.writes});
}

void Tracer::check(const GroupCheck& check) {
  Before at(check.before, check.pieces.front().where);
  add_one(at, offsetof(AccessCounters, single_checks));
  const std::uint64_t bytes = std::uint64_t{check.words} * 8;
  log_check(at, {check.address, at.getInt64(bytes), bytes, bytes, check.writes});
}

void Tracer::memory(llvm::AnyMemIntrinsic& memory, bool checked_here) {
  SharedMemory shared;
  for (const PlainAccess& side : sides(memory, shared)) {
    access(side);
    if (!checked_here) continue;
    Before at(&memory, position(memory));
    add_one(at, offsetof(AccessCounters, single_checks));
    llvm::Value* bytes = at.CreateZExtOrTrunc(memory.getLength(), entries_.word_type());
    log_check(at, {side.address, bytes, 1, 1, side.writes});
  }
}

void Tracer::vector(llvm::IntrinsicInst& vector) {
  // Which lanes are accessed is decided where they are checked, by the same mask: counted, but
  // there is no placement to verify.
  Before at(&vector, position(vector));
  add_one(at, offsetof(AccessCounters, accesses));
  add_one(at, offsetof(AccessCounters, single_checks));
}

}  // namespace bigfoot::frontend
