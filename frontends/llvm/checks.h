// Checks in the program's code, each a call. inline_tests.h makes those that are executed often
// fast.
#pragma once

#include <vector>

#include "frontends/llvm/accesses.h"
#include "frontends/llvm/entry_points.h"
#include "frontends/llvm/fields/fields.h"

namespace bigfoot::frontend {

// Where a report should say an access is. Optimisations that move an access leave it without a
// line; then its user or the nearest neighbour that has one tells best.
llvm::DebugLoc position(const llvm::Instruction& i);

// Accesses that a check may have been for instead of the one it is named after: the other branches
// of a loop that was taken through one or another each time round.
using OtherPlaces = std::vector<llvm::DebugLoc>;

// A check of `bytes` at `address`, done before `before`, reported at `where` as `access` (null: the
// bytes of several).
struct SingleCheck {
  llvm::Instruction* before;
  llvm::Value* address;
  bool writes;
  unsigned bytes;
  llvm::Align align;
  llvm::DebugLoc where;
  const llvm::Instruction* access;
  OtherPlaces or_at{};
  llvm::Instruction* overwritten_by = nullptr;  // see PlainAccess
  // Of accesses to neighbours, of which a report says the same but for the address: the size of
  // each; `align` is that of the first, and tells of all cells. 0: it is one access.
  unsigned part = 0;
};

// A check of elements of `unit` bytes (1, 2, 4 or 8, naturally aligned) from `address` on, over
// `extent` bytes: all of them, or only the first `width` bytes of every `step`.
struct RangeCheck {
  // The unit of a contiguous range that was copied or set as a whole.
  static constexpr unsigned kNoElements = 0;

  llvm::Instruction* before;
  llvm::Value* address;
  bool writes;
  llvm::Value* extent;  // 64 bits; nothing is checked if it is not positive
  unsigned unit;
  std::uint64_t step;  // == width for a contiguous range
  std::uint64_t width;
  llvm::DebugLoc where;
  const llvm::Instruction* access;
  OtherPlaces or_at{};
};

// A check of neighbouring fields, whole words, that may share one shadow location (proxies.h).
struct GroupCheck {
  llvm::Instruction* before;
  llvm::Value* address;
  bool writes;
  unsigned words;
  struct Piece {
    unsigned offset, bytes;
    llvm::DebugLoc where;
    const llvm::Instruction* access;
    OtherPlaces or_at{};
  };
  std::vector<Piece> pieces;  // side by side; together all of it
  llvm::Constant* group;      // the module's abi::FieldGroup
};

// What a function's plain accesses need, once decided.
struct PlacedChecks {
  std::vector<SingleCheck> single;
  std::vector<GroupCheck> groups;
  std::vector<RangeCheck> ranges;
  bool memory = true;  // those of memory intrinsics are among them
};

// Emits checks. One for each function.
class CheckEmitter {
 public:
  CheckEmitter(llvm::Function& f, EntryPoints& entries, Fields& fields)
      : function_(f), entries_(entries), fields_(fields) {}

  void check(const PlainAccess& access);
  void check(const SingleCheck& check);
  void check(const RangeCheck& check);
  void check(const GroupCheck& check);  // group_checks.cpp; splits the block
  void check(llvm::AnyMemIntrinsic& memory);
  void check(llvm::IntrinsicInst& vector);

 private:
  void bytes_check(llvm::Instruction& before, llvm::Value* address, llvm::Value* bytes, bool writes,
                   const llvm::DebugLoc& where);
  // Where the run time finds a check's access and its member: the position of the call.
  llvm::DebugLoc told(const llvm::DebugLoc& where, const llvm::Instruction* access,
                      const OtherPlaces& or_at = {});

  llvm::Function& function_;
  EntryPoints& entries_;
  Fields& fields_;
};

}  // namespace bigfoot::frontend
