// Which instructions of a function access memory that another thread could touch.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace bigfoot::frontend {

struct PlainAccess {
  llvm::Instruction* instruction;
  llvm::Value* address;
  bool writes;
  unsigned bytes;
  llvm::Align align;
  bool vtable_pointer;  // a store to an object's virtual-table pointer
  // Of a read: the store that certainly writes the same bytes next, before anything that could
  // order the two accesses differently towards another thread; or null.
  llvm::Instruction* overwritten_by = nullptr;
  // Of a memory intrinsic whose length is not a (small) constant: the length; `bytes` is 0 then.
  llvm::Value* length = nullptr;

  bool is_memory_intrinsic() const { return llvm::isa<llvm::AnyMemIntrinsic>(instruction); }
};

struct Accesses {
  llvm::SmallVector<PlainAccess, 16> plain;
  llvm::SmallVector<llvm::Instruction*, 4> atomics;     // loads, stores, rmw, cmpxchg, fences
  llvm::SmallVector<llvm::AnyMemIntrinsic*, 4> memory;  // memcpy, memmove, memset
  llvm::SmallVector<llvm::IntrinsicInst*, 2> vectors;   // masked load/store, gather, scatter
  llvm::SmallVector<llvm::CallBase*, 4> library;        // candidates for library wrappers
  bool has_calls = false;                               // that may reach checked code
};

// Decides whether an address can be shared; remembers what it found about stack objects.
class SharedMemory {
 public:
  bool may_be_shared(const llvm::Value* address);

 private:
  llvm::DenseMap<const llvm::Value*, bool> captured_;
};

// What memcpy, memmove or memset accesses that another thread could touch: the source, the target.
llvm::SmallVector<PlainAccess, 2> sides(llvm::AnyMemIntrinsic& memory, SharedMemory& shared);

// Whether placement answers for it. (Element-wise atomic ones are checked where they stand.)
inline bool is_placed(const llvm::AnyMemIntrinsic& memory) {
  return llvm::isa<llvm::MemIntrinsic>(memory);
}

// Whether an access before the instruction and one after it may be taken for one step: it cannot
// synchronise, and control cannot leave there.
bool is_transparent(const llvm::Instruction& i);

// `plain_too`: false for functions marked no_sanitize("thread"), whose atomics still synchronise.
Accesses collect_accesses(llvm::Function& f, bool plain_too);

}  // namespace bigfoot::frontend
