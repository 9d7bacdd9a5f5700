// BFJ to the abstract program, keeping the way back.
//
// Placement speaks of program points and symbols; a BFJ reader wants statements and variables. So
// each point of the graph remembers an *anchor* in the tree, and each variable a log of the values
// it was bound to, in the order of the text. Because the language is structured, the position in
// the text decides which binding is current.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/ir/plan.h"
#include "analysis/ir/program.h"
#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

// A place where statements can be inserted.
struct Anchor {
  enum class Kind : std::uint8_t {
    Insert,  // before list->stmts[index]; index == size: at the end
    Break,   // on the way out of `if (c) break;` at list->stmts[index]
    Unwind,  // when the call at list->stmts[index] throws
  };
  Kind kind = Kind::Insert;
  Block* list = nullptr;
  std::size_t index = 0;
  std::uint32_t position = 0;  // in the text, for looking up bindings

  bool exists() const { return list != nullptr; }
};

// A variable holds `value` at positions from <= p < to.
struct Binding {
  std::string variable;
  ir::LinearExpr value;
  std::uint32_t from = 0;
  std::uint32_t to = UINT32_MAX;
  bool assigned = false;  // by x = e in the source, so that x = e is part of the history
};

struct LoweredFunction {
  std::string owner;  // "Point.move", "thread 1"
  // anchors[block][i]: before instruction i; one more for the terminator.
  std::vector<std::vector<Anchor>> anchors;
  std::map<std::pair<ir::BlockId, ir::BlockId>, Anchor> edge_anchors;
  std::vector<Binding> bindings;
  // Where a copy of a root symbol can be taken, and the variable that holds it there.
  struct Definition {
    Anchor after;
    std::string variable;
  };
  std::map<ir::SymbolId, Definition> definitions;
  std::map<ir::SymbolId, ir::SymbolId> length_of;  // length symbol -> array
  // Statement -> the point just after it and its position in the text (for contexts); absent when
  // nothing follows.
  struct After {
    ir::Point point;
    std::uint32_t position;
  };
  std::map<const Stmt*, After> after_statement;
  std::vector<const Stmt*> access_stmt;  // by AccessId
  std::vector<SourcePos> access_pos;     // by AccessId
  std::vector<std::string> access_text;  // by AccessId
  ir::Plan written_checks;               // the check statements of the source
};

struct Lowered {
  Program source;  // desugared; the anchors point into it
  ir::Program program;
  std::vector<LoweredFunction> functions;  // parallel to program.functions
  std::vector<std::string> field_names;    // by unit of Space::Fields

  const Anchor* anchor_of(ir::FunctionId f, const ir::Point& point) const;
};

Lowered lower(const Program& program);

}  // namespace bigfoot::bfj
