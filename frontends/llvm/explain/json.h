// `explain` records as JSON: docs/explain-format.md.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "frontends/llvm/explain/record.h"

namespace bigfoot::frontend::explain {

// Where records go, and whose they are.
struct Destination {
  std::string path;  // a file, or a folder in which each module has a file of its own; empty: none
  std::string detector;  // as the user named it
  bool wanted() const { return !path.empty(); }
};

// The accounts of a module's functions, by the file that they are from.
class Accounts {
 public:
  explicit Accounts(Destination to) : to_(std::move(to)) {}
  bool wanted() const { return to_.wanted(); }
  void add_file(const std::string& source);  // also one without functions has a record
  void add(const std::string& source, Function account);
  // A record for each file; the types, which are of all of them, are in the first. Does nothing if
  // none is wanted. Errors of the compilation: a file that cannot be written; one for the records
  // of several.
  void write(const llvm::Module& module, const std::vector<Type>& types);

 private:
  std::vector<Function>& of_file(const std::string& source);

  Destination to_;
  std::vector<std::pair<std::string, std::vector<Function>>> by_source_;
};

}  // namespace bigfoot::frontend::explain
