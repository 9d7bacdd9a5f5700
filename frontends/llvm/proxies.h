// Field proxies: which words of a type a module always checks together.
//
// The papers find, from all checks of a program, which fields of a class are checked whenever
// another one is. Here a module finds it for its own checks, and says so (abi/groups.h); the run
// time compares what modules say, and keeps one shadow location for such fields as long as nobody
// accesses them apart. So nothing is assumed about code that is not seen: what follows from here is
// where one check stands for several fields, and how likely it is that their location stays one.
//
// Which field an access is of, accessed_fields.h tells; one that is of none is checked alone.
#pragma once

#include <llvm/IR/GlobalVariable.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/llvm/accessed_fields.h"
#include "frontends/llvm/lower/pieces.h"

namespace bigfoot::frontend {

// Words of a type, a bit for each.
using WordSet = std::uint64_t;
static_assert(kMaxFieldBytes == 8 * 8 * sizeof(WordSet));

struct TypeProxies {
  unsigned first_word = 0;  // of the first member
  // What checks were seen to check, each with the first place that did.
  std::map<WordSet, const llvm::Instruction*> checked;
  // Words that are not always checked as whole words.
  std::map<WordSet, const llvm::Instruction*> in_part;
  // The words fall into these: each check has all of one or none of it. Neighbours only, and not
  // more than a group can have.
  std::vector<WordSet> groups;
  // Words that another word would speak for if the module were the whole program: whatever checks
  // them checks that one, too.
  WordSet spoken_for = 0;
};

class FieldProxies {
 public:
  // `one_sided`: words may be left out that another one speaks for, although races are missed then.
  explicit FieldProxies(bool one_sided) : one_sided_(one_sided) {}

  // First the module's checks, all of them; then decide(); then the rest.
  void note(const LoweredFunction& f, const std::vector<SmallRange>& check);
  void decide();

  // A run of a range's pieces that are one group.
  struct Group {
    std::size_t first, count;  // pieces
    unsigned words;
    std::size_t index;  // of the group among all of the module
  };
  // Pieces of the range that are fields another one of it would speak for, if that may be used.
  std::vector<bool> spoken_for(const LoweredFunction& f, const SmallRange& range) const;
  std::vector<Group> groups_of(const LoweredFunction& f, const SmallRange& range) const;

  // The field that an access of the function is of.
  const std::optional<Field>& field_of(const LoweredFunction& f, ir::AccessId access) const;

  // By the name of the type.
  const std::map<std::string, TypeProxies>& types() const { return types_; }
  // The module's abi::FieldGroups, in the order of their indices; null if there are none. And one
  // of them.
  llvm::GlobalVariable* table(llvm::Module& module);
  llvm::Constant* entry(llvm::Module& module, std::size_t index);
  std::size_t count() const { return count_; }

 private:
  struct Instance;
  std::vector<Instance> instances(const LoweredFunction& f, const SmallRange& range) const;

  bool one_sided_;
  mutable std::map<const LoweredFunction*, std::vector<std::optional<Field>>> fields_;
  std::map<std::string, TypeProxies> types_;
  std::map<std::string, std::size_t> first_index_;
  std::size_t count_ = 0;
  llvm::GlobalVariable* table_ = nullptr;
};

// The run time writes to it, which no instruction of the module shows.
llvm::GlobalVariable* run_time_data(llvm::GlobalVariable& data);

// The table of what is in the module, announced to the run time by the constructor.
void announce_groups(llvm::Function& constructor, FieldProxies& proxies);

}  // namespace bigfoot::frontend
