#include "frontends/llvm/checks.h"

#include "frontends/llvm/inline_tests.h"

namespace bigfoot::frontend {
namespace {

bool has_plane(unsigned bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

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
  check(SingleCheck{access.instruction,
                    access.address,
                    access.writes,
                    access.bytes,
                    access.align,
                    position(*access.instruction),
                    access.instruction,
                    {},
                    access.overwritten_by});
}

void CheckEmitter::check(const SingleCheck& check) {
  const bool sized =
      check.part == 0 && has_plane(check.bytes) && check.align.value() >= check.bytes;
  llvm::IRBuilder<> at(check.before);
  at.SetCurrentDebugLocation(told(check.where, check.access, check.or_at));
  const char* kind = check.writes ? "write" : "read";
  llvm::CallInst* call;
  if (sized)
    call = entries_.call(at, (llvm::Twine("check_") + kind + llvm::Twine(check.bytes)).str(),
                         {check.address});
  else if (check.part == 0)
    call = entries_.call(at, (llvm::Twine(kind) + "_range").str(),
                         {check.address, at.getInt64(check.bytes)});
  else
    call = entries_.call(at, (llvm::Twine(kind) + "_parts").str(),
                         {check.address, at.getInt64(check.bytes), at.getInt64(check.part)});
  if (!sized)
    call->addParamAttr(0, llvm::Attribute::getWithAlignment(call->getContext(), check.align));
  if (check.overwritten_by != nullptr)
    note_update(*call, told(position(*check.overwritten_by), check.overwritten_by));
}

void CheckEmitter::check(const RangeCheck& check) {
  llvm::IRBuilder<> at(check.before);
  const llvm::DebugLoc where = told(check.where, check.access, check.or_at);
  at.SetCurrentDebugLocation(where);
  if (check.unit == RangeCheck::kNoElements)
    return bytes_check(
        *check.before, check.address,
        at.CreateBinaryIntrinsic(llvm::Intrinsic::smax, check.extent, at.getInt64(0)), check.writes,
        where);
  if (check.step == check.width)
    entries_.call(at, check.writes ? "write_elements" : "read_elements",
                  {check.address, check.extent, at.getInt32(check.unit)});
  else
    entries_.call(at, check.writes ? "write_strided" : "read_strided",
                  {check.address, check.extent, at.getInt64(check.step), at.getInt64(check.width),
                   at.getInt32(check.unit)});
}

llvm::DebugLoc CheckEmitter::told(const llvm::DebugLoc& where, const llvm::Instruction* access,
                                  const OtherPlaces& or_at) {
  return access == nullptr && or_at.empty() ? where : fields_.at(where, access, or_at);
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
  for (const PlainAccess& side : sides(memory, shared))
    bytes_check(memory, side.address, memory.getLength(), side.writes, position(memory));
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
