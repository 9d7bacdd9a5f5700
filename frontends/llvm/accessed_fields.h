// Of which field of which type an access is.
//
// Types are known by what alias metadata calls them; of a field in a struct in a struct, the
// innermost counts. Copies of structs that the optimiser has taken apart have lost that: their
// words are just doubles. Such an access is of the field that other accesses of the function to the
// same bytes are of, if these agree. Nothing depends on it being right but speed (abi/groups.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend {

// A field: the type it is in, and where.
struct Field {
  std::string type;
  std::int64_t offset;
  std::int64_t first;  // offset of the type's first member, the same in every module
  bool operator==(const Field&) const = default;
};

// What the alias metadata of the access says, alone.
std::optional<Field> named_field(const llvm::Instruction& access);

// The fields of a function's accesses, by AccessId.
std::vector<std::optional<Field>> accessed_fields(const LoweredFunction& f);

}  // namespace bigfoot::frontend
