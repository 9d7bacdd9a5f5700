// The member that an access accesses, and the debug location that tells a report of it
// (abi/fields.h has the form).
//
// Two things of a module say which member it is, and what neither of them says has no name:
//   the access's type metadata (TBAA): "a long at offset 8 of an Account"; the optimiser keeps it
//     exact or drops it; -O0 and -fno-strict-aliasing have none
//   its address: steps into types that IR names, and the debug types of variables, of what is
//   loaded
//     from members and of what functions return
// Offset and size then find the member in the debug information of the type. Without types in it
// (-gline-tables-only, the drivers' default) there are no names, and nothing is looked for.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Operator.h>

#include "frontends/llvm/fields/debug_types.h"

namespace bigfoot::frontend {

class Fields {
 public:
  explicit Fields(llvm::Module& module);

  // `where`, which is where the access stands, with the member if it is known (no access: it is
  // not), and with the other places where the access may have been.
  llvm::DebugLoc at(const llvm::DebugLoc& where, const llvm::Instruction* access,
                    llvm::ArrayRef<llvm::DebugLoc> or_at = {});
  // The object that an address is in, as far as variables and steps tell, and how far.
  struct Object {
    const llvm::DIType* type;
    std::uint64_t offset;
  };
  std::optional<Object> object_of(const llvm::Function& f, const llvm::Value* address);
  // Null without debug information of types.
  const TypeIndex* types() const { return types_ ? &*types_ : nullptr; }
  // The names that were given out, for the object file. Once, at the end.
  void write_names();

 private:
  // So many bytes into an object of this type; of `member`, if what it is part of is one.
  struct Place {
    const llvm::DIType* object;
    std::uint64_t offset = 0;
    std::optional<Member> member = std::nullopt;
  };

  std::string name_of(const llvm::Instruction& access);
  std::optional<Member> member_of(const llvm::Instruction& access, std::uint64_t bytes, int depth);
  std::optional<Member> by_metadata(const llvm::Instruction& access, std::uint64_t bytes);
  std::optional<Place> place_of(const llvm::Value* address, int depth);
  std::optional<Place> step(const llvm::GEPOperator& step, int depth);
  std::optional<Place> into_struct(const llvm::GEPOperator& step);
  std::optional<Place> into_array(const Place& from, std::uint64_t stride) const;
  const llvm::DIType* object_of_variable(const llvm::Value* address);
  const llvm::DIType* pointee_of_value(const llvm::Value* pointer, int depth);
  void enter(const llvm::Function& f);

  llvm::Module& module_;
  const llvm::DataLayout& layout_;
  std::optional<TypeIndex> types_;  // if there is debug information of types
  // Of the function that was asked about last: what variables say of values. Null: they disagree.
  const llvm::Function* function_ = nullptr;
  llvm::DenseMap<const llvm::Value*, const llvm::DIType*> objects_;   // lies at the value
  llvm::DenseMap<const llvm::Value*, const llvm::DIType*> pointees_;  // is what the value points to
  llvm::StringSet<> names_;
};

}  // namespace bigfoot::frontend
