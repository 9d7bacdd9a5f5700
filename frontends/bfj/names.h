// Names a whole program or block mentions, collected before it is translated.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

// Declared fields first, class by class, then those that only occur in accesses, then in checks.
std::vector<std::string> field_names(const Program& program);

// Methods an exception may leave. REQUIRES: no While, For (desugared).
std::set<std::string> throwing_methods(const Program& program);

// Variables a block may assign, nested blocks included; computed once per block.
// REQUIRES: no While, For.
class AssignedVariables {
 public:
  const std::set<std::string>& in(const Block& b);

 private:
  void collect(const Stmt& s, std::set<std::string>& names);

  std::unordered_map<const Block*, std::set<std::string>> known_;
};

}  // namespace bigfoot::bfj
