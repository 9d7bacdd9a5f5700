#include "frontends/llvm/accesses.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "frontends/llvm/compat.h"

namespace bigfoot::frontend {
namespace {

bool is_vtable_pointer(const llvm::Instruction& i) {
  const llvm::MDNode* tag = i.getMetadata(llvm::LLVMContext::MD_tbaa);
  return tag != nullptr && tag->isTBAAVtableAccess();
}

// Tables that never change: constants, and what a virtual-table pointer leads to.
bool is_constant_data(const llvm::Value* address) {
  if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(address))
    address = gep->getPointerOperand();
  if (auto* g = llvm::dyn_cast<llvm::GlobalVariable>(address)) return g->isConstant();
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(address)) return is_vtable_pointer(*load);
  return false;
}

// Counters that compilers write on purpose without synchronisation.
bool is_profiling_data(const llvm::Value* address) {
  auto* g = llvm::dyn_cast<llvm::GlobalVariable>(address->stripInBoundsOffsets());
  if (g == nullptr) return false;
  return g->getName().starts_with("__llvm_gcov") || g->getName().starts_with("__llvm_gcda") ||
         g->getName().starts_with("__prof") || g->getSection().contains("__llvm_prf");
}

// Variables of the C library that it alone writes, and that may be read at any time. Others do not
// belong here: `environ` and `stdout` are the program's to assign, `tzname` and `optind` are
// changed by calls that do race with a read.
constexpr llvm::StringLiteral kLibraryVariables[] = {
    "__libc_single_threaded",  // libstdc++ asks it for every copy and release of a shared_ptr
};

// A program that defines such a name has a variable of its own.
bool is_library_data(const llvm::Value* address) {
  auto* g = llvm::dyn_cast<llvm::GlobalVariable>(address);
  return g != nullptr && g->isDeclaration() && llvm::is_contained(kLibraryVariables, g->getName());
}

bool is_masked(const llvm::IntrinsicInst& i) {
  switch (i.getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_scatter:
    case llvm::Intrinsic::masked_expandload:
    case llvm::Intrinsic::masked_compressstore:
      return true;
    default:
      return false;
  }
}

class Collector {
 public:
  Collector(llvm::Function& f, bool plain_too)
      : layout_(f.getParent()->getDataLayout()), plain_too_(plain_too) {}

  void visit(llvm::Instruction& i) {
    if (&i == &i.getParent()->front() || !is_transparent(i)) reads_.clear();
    if (i.getMetadata(llvm::LLVMContext::MD_nosanitize)) return;
    if (i.isAtomic()) return visit_atomic(i);
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return visit_call(*call);
    if (!plain_too_) return;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
      add(i, load->getPointerOperand(), false, load->getType(), load->getAlign());
    else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      add(i, store->getPointerOperand(), true, store->getValueOperand()->getType(),
          store->getAlign());
  }

  Accesses take() { return std::move(found_); }

 private:
  void visit_atomic(llvm::Instruction& i) {
    // Fences and accesses for this thread only order signal handlers, not threads.
    if (auto scope = llvm::getAtomicSyncScopeID(&i); scope == llvm::SyncScope::SingleThread) return;
    found_.atomics.push_back(&i);
  }

  void visit_call(llvm::CallBase& call) {
    if (auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&call)) {
      if (plain_too_) found_.memory.push_back(memory);
      return;
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
      if (plain_too_ && is_masked(*intrinsic)) found_.vectors.push_back(intrinsic);
      return;
    }
    if (call.isInlineAsm()) return;
    found_.has_calls = true;
    if (plain_too_ && call.getCalledFunction() != nullptr) found_.library.push_back(&call);
  }

  void add(llvm::Instruction& i, llvm::Value* address, bool writes, llvm::Type* type,
           llvm::Align align) {
    if (llvm::TypeSize size = layout_.getTypeStoreSize(type); !size.isScalable()) {
      auto* pointer = llvm::cast<llvm::PointerType>(address->getType());
      if (pointer->getAddressSpace() != 0 || address->isSwiftError()) return;
      if (!shared_.may_be_shared(address)) return;
      found_.plain.push_back({&i, address, writes, static_cast<unsigned>(size.getFixedValue()),
                              align, writes && is_vtable_pointer(i)});
      pair(found_.plain.back(), found_.plain.size() - 1);
    }
  }

  // x += y: the read and the write that follows it in the same block.
  void pair(const PlainAccess& access, std::size_t place) {
    if (!access.writes) {
      reads_[access.address] = place;
      return;
    }
    auto read = reads_.find(access.address);
    if (read == reads_.end() || access.vtable_pointer) return;
    PlainAccess& before = found_.plain[read->second];
    if (before.bytes == access.bytes) before.overwritten_by = access.instruction;
    reads_.erase(read);
  }

  const llvm::DataLayout& layout_;
  bool plain_too_;
  SharedMemory shared_;
  Accesses found_;
  llvm::DenseMap<const llvm::Value*, std::size_t> reads_;  // of this block, not yet overwritten
};

}  // namespace

bool is_transparent(const llvm::Instruction& i) {
  if (i.isAtomic() || !llvm::isGuaranteedToTransferExecutionToSuccessor(&i)) return false;
  auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call == nullptr || (llvm::isa<llvm::IntrinsicInst>(call) && call->doesNotAccessMemory());
}

bool SharedMemory::may_be_shared(const llvm::Value* address) {
  if (is_constant_data(address) || is_profiling_data(address) || is_library_data(address))
    return false;
  const llvm::Value* object = llvm::getUnderlyingObject(address);
  if (!llvm::isa<llvm::AllocaInst>(object)) return true;
  auto [known, fresh] = captured_.try_emplace(object, false);
  if (fresh) known->second = compat::may_escape(object);
  return known->second;
}

llvm::SmallVector<PlainAccess, 2> sides(llvm::AnyMemIntrinsic& memory, SharedMemory& shared) {
  constexpr std::uint64_t kMostBytes = 1u << 20;
  llvm::Value* length = memory.getLength();
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(length);
  const bool small = constant != nullptr && constant->getValue().ule(kMostBytes);
  llvm::SmallVector<PlainAccess, 2> found;
  const auto add = [&](llvm::Value* address, bool writes, llvm::MaybeAlign align) {
    if (!shared.may_be_shared(address) || (small && constant->isZero())) return;
    PlainAccess side{&memory, address, writes, 0, align.valueOrOne(), false};
    if (small)
      side.bytes = static_cast<unsigned>(constant->getZExtValue());
    else
      side.length = length;
    found.push_back(side);
  };
  if (auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&memory))
    add(transfer->getRawSource(), false, transfer->getSourceAlign());
  add(memory.getRawDest(), true, memory.getDestAlign());
  return found;
}

Accesses collect_accesses(llvm::Function& f, bool plain_too) {
  Collector collector(f, plain_too);
  for (llvm::Instruction& i : llvm::instructions(f)) collector.visit(i);
  return collector.take();
}

}  // namespace bigfoot::frontend
