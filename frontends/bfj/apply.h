// A plan back into BFJ text: check statements where the plan says, in the variables of that place.
#pragma once

#include <string>
#include <vector>

#include "analysis/ir/alias.h"
#include "analysis/ir/plan.h"
#include "frontends/bfj/lower.h"

namespace bigfoot::bfj {

// Spells symbols as variables at a position of the text.
class Namer {
 public:
  // With alias facts, a variable that holds a read's result also names every equal value.
  Namer(const LoweredFunction& function, const ir::AliasedFunction* aliases);

  // The expression in variables current at `position`; null if some symbol has no name there, which
  // is then appended to `unnamed`.
  ExprPtr name(const ir::LinearExpr& e, std::uint32_t position,
               std::vector<ir::SymbolId>* unnamed = nullptr) const;
  // The variable (or nothing) that holds exactly this symbol.
  const std::string* variable(ir::SymbolId symbol, std::uint32_t position) const;
  void add_binding(const std::string& variable, ir::SymbolId symbol);

 private:
  struct Entry {
    std::string variable;
    std::int64_t offset;  // variable = key + offset
    std::uint32_t from, to;
  };
  const Entry* find(const ir::LinearExpr& key, std::uint32_t position, bool exact,
                    std::int64_t offset) const;

  const LoweredFunction& function_;
  // Expression without its constant -> the variables bound to it.
  std::map<ir::LinearExpr, std::vector<Entry>> entries_;
};

struct ApplyResult {
  Program program;
  // The check statements put in, with the function and point they came from.
  struct Inserted {
    const Stmt* stmt;
    ir::FunctionId function;
    ir::Point point;
  };
  std::vector<Inserted> inserted;
  std::vector<std::string> problems;  // never in a correct lowering
};

// One placement of a whole program. `aliases` is empty, or gives the analysed function for each
// plan.
struct ProgramPlans {
  std::vector<const ir::Plan*> plans;  // by FunctionId
  std::vector<const ir::AliasedFunction*> aliases = {};
  bool with_names = false;  // the checks carry what they would be reported as
};

// Consumes `lowered`. A check that needs a value no variable holds any more gets a copy of it,
// taken with a rename where the value is defined. The checks of all placements go into one program,
// each marked with the index of its own.
ApplyResult apply(Lowered& lowered, const std::vector<ProgramPlans>& placements);

}  // namespace bigfoot::bfj
