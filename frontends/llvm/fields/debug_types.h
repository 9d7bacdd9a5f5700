// What debug information says of types: which member lies at an offset, and which type has a name.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <vector>

namespace bigfoot::frontend {

// Typedefs and qualifiers taken off; null for void and for what is not known.
const llvm::DIType* plain_type(const llvm::DIType* type);
// What a pointer or reference points to, in the same way; null if it is none.
const llvm::DIType* pointee(const llvm::DIType* type);
// What an array consists of, all its dimensions taken off; null if it is none.
const llvm::DIType* element_of(const llvm::DIType* type);
std::uint64_t bytes_of(const llvm::DIType* type);

// A member of a struct or class.
struct Member {
  const llvm::DICompositeType* owner;  // the innermost type around it that has a name
  std::string path;                    // from there: `balance`, `limits.daily`
  const llvm::DIType* type;            // of the member; of its elements, if it is an array
  bool array;
};

// A struct, class or union of which some bytes are meant, not all: [begin, end) of it.
struct PartOfRecord {
  const llvm::DICompositeType* type;
  std::uint64_t begin, end;
};
// Those that the bytes [begin, end) of an object of this type divide, from the outside in. What is
// in a union is not looked into.
std::vector<PartOfRecord> divided_by(const llvm::DIType* type, std::uint64_t begin,
                                     std::uint64_t end);
bool is_union(const llvm::DIType* type);
// The names of the record's own members that have the byte: in a union several, with a bar between.
std::string members_at(const llvm::DICompositeType& record, std::uint64_t byte);

// The struct and class types of a module that have members, and their names.
class TypeIndex {
 public:
  explicit TypeIndex(const llvm::Module& module);

  // The type that the metadata of an access names: mangled (_ZTS7Account), or by its name in C.
  // Null if it is not known or if several have the name.
  const llvm::DICompositeType* mangled(llvm::StringRef name) const;
  // In the same way, the type that IR names struct.Account or class.bank::Account.3.
  const llvm::DICompositeType* of(llvm::StructType& type) const;

  // The innermost member of `type` that holds these bytes; nothing if several share them (unions,
  // bit-fields), or if they are more than one member's.
  std::optional<Member> member_at(const llvm::DIType* type, std::uint64_t offset,
                                  std::uint64_t bytes) const;
  // As people say it: `Account::balance`; `Account::limits.daily` in a struct without a name.
  std::string name_of(const Member& member) const;
  std::string name_of(const llvm::DICompositeType& type) const;

 private:
  void visit(const llvm::Metadata* node);
  void add(const llvm::DICompositeType& record, const llvm::DIType& named);
  bool has_name(const llvm::DICompositeType& record) const;
  std::optional<Member> inside(const llvm::DICompositeType& owner, const llvm::DIDerivedType& part,
                               std::uint64_t offset, std::uint64_t bytes) const;

  const llvm::DataLayout& layout_;
  llvm::StringMap<const llvm::DICompositeType*> by_identifier_;
  llvm::StringMap<const llvm::DICompositeType*> by_name_;  // those without template arguments
  // C's unnamed structs go by the name of their typedef.
  llvm::DenseMap<const llvm::DICompositeType*, const llvm::DIType*> aliases_;
  llvm::DenseSet<const llvm::Metadata*> seen_;
};

}  // namespace bigfoot::frontend
