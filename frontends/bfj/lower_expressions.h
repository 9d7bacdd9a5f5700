// Expressions and paths in root form; conditions as the facts they give on each side.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontends/bfj/lower_emitter.h"

namespace bigfoot::bfj {

// Names shared by every function of a program.
struct Names {
  std::map<std::string, std::int64_t> fields;
  std::map<std::string, ir::FunctionId> methods;
  std::set<std::string> throwing;
  const Program* program = nullptr;
};

struct ConditionFacts {
  std::vector<ir::Atom> when_true;
  std::vector<ir::Atom> when_false;
};

class ExpressionLowering : public FunctionEmitter {
 public:
  ExpressionLowering(const Names& names, std::string owner)
      : FunctionEmitter(std::move(owner)), names_(names) {}

 protected:
  static constexpr ir::MemoryClass kArrays{0};

  // The value of e, made opaque when it is not linear. Anonymous unless `name` says otherwise.
  ir::LinearExpr value(const Expr& e, const std::string& name);
  ConditionFacts condition(const Expr& e);
  void set_length(ir::SymbolId array, const ir::LinearExpr& length) { lengths_[array] = length; }

  // The object a path starts from must be a single symbol.
  ir::SymbolId base_symbol(const std::string& variable);
  std::int64_t field(const std::string& name) const { return names_.fields.at(name); }
  ir::Path field_path(const std::string& base, const std::string& name);
  ir::Path element_path(const std::string& base, const Expr& index);
  ir::MemoryClass class_of_field(const std::string& name) const;
  void read(const ir::Path& path, ir::MemoryClass c, ir::SymbolId result, const Stmt& s);
  void write(const ir::Path& path, ir::MemoryClass c, const ir::LinearExpr& stored, const Stmt& s);

  const Names& names_;

 private:
  std::optional<ir::LinearExpr> linear(const Expr& e);
  std::optional<ir::LinearExpr> linear_binary(const Binary& n);
  std::optional<ir::LinearExpr> length(const std::string& array);
  ConditionFacts connective(const Binary& n);

  std::map<ir::SymbolId, ir::LinearExpr> lengths_;
  std::map<ir::SymbolId, ConditionFacts> remembered_;  // boolean variables and what they stand for
};

}  // namespace bigfoot::bfj
