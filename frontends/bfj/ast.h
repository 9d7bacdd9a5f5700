// BFJ, the papers' idealised language, as a tree.
//
// Figure 5 of the BigFoot report in full, and what its section 5 adds: reads and writes told apart,
// volatile fields, fork/join, wait/notify, while and for, integer and boolean expressions.
// Exceptional and abrupt exits (throw/try, halt) are ours, because checks must survive them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bigfoot::bfj {

struct SourcePos {
  int line = 0;
  int column = 0;
};

enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Equal,
  NotEqual,
  Less,
  AtMost,
  Greater,
  AtLeast,
  And,
  Or
};
enum class UnaryOp : std::uint8_t { Negate, Not };

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct IntLiteral {
  std::int64_t value;
};
struct BoolLiteral {
  bool value;
};
struct NullLiteral {};
struct VarRef {
  std::string name;
};
struct LengthOf {  // a.length, which never changes
  std::string array;
};
struct Nondet {};  // `?`: true or false, the scheduler decides
struct Unary {
  UnaryOp op;
  ExprPtr operand;
};
struct Binary {
  BinaryOp op;
  ExprPtr left;
  ExprPtr right;
};

struct Expr {
  SourcePos pos;
  std::variant<IntLiteral, BoolLiteral, NullLiteral, VarRef, LengthOf, Nondet, Unary, Binary> node;
};

// One path of a check: base.f1/f2/... or base[begin..end:step].
struct CheckPath {
  bool is_write = false;
  std::string base;
  std::vector<std::string> fields;  // empty: an array range
  ExprPtr begin, end;               // end == nullptr: the single index `begin`
  std::int64_t step = 1;
};

struct Stmt;
struct Block {
  std::vector<std::unique_ptr<Stmt>> stmts;
};
using BlockPtr = std::unique_ptr<Block>;

struct Skip {};
struct Assign {
  std::string target;
  ExprPtr value;
};
struct Rename {  // target <- source
  std::string target, source;
};
struct Sync {
  enum class Kind : std::uint8_t { Acquire, Release, Join, Wait, Notify } kind;
  std::string object;
};
struct New {
  std::string target, class_name;
};
struct NewArray {
  std::string target;
  ExprPtr length;
};
struct FieldRead {
  std::string target, base, field;
};
struct FieldWrite {
  std::string base, field;
  ExprPtr value;
};
struct ArrayRead {
  std::string target, base;
  ExprPtr index;
};
struct ArrayWrite {
  std::string base;
  ExprPtr index, value;
};
struct Invoke {
  std::string target;  // may be empty
  std::string base, method;
  std::vector<ExprPtr> arguments;
  bool fork = false;  // target becomes a handle for join
};
// What a race found by a check would be reported as: each unit of the part was touched by one of
// these accesses. Pointers into the program, so that a clone has none.
struct CheckName {
  CheckPath part;
  std::vector<const Stmt*> accesses;
};
struct CheckStmt {
  std::vector<CheckPath> paths;
  // Whose check it is, in a program that holds the checks of several placements side by side
  // (place_together). The text form does not show it.
  std::uint8_t placement = 0;
  std::vector<CheckName> names = {};  // where they are to be judged
};
struct If {
  ExprPtr condition;
  BlockPtr then_block, else_block;  // else_block is never null, may be empty
};
struct Loop {
  BlockPtr body;
};
struct Break {  // if (condition) break;   or   break;
  ExprPtr condition;
};
struct While {
  ExprPtr condition;
  BlockPtr body;
};
struct For {
  std::unique_ptr<Stmt> init, step;  // assignments
  ExprPtr condition;
  BlockPtr body;
};
struct Try {
  BlockPtr body, handler;
};
struct Throw {};
struct Halt {};

struct Stmt {
  SourcePos pos;
  std::variant<Skip, Assign, Rename, Sync, New, NewArray, FieldRead, FieldWrite, ArrayRead,
               ArrayWrite, Invoke, CheckStmt, If, Loop, Break, While, For, Try, Throw, Halt>
      node;
};
using StmtPtr = std::unique_ptr<Stmt>;

struct Field {
  std::string name;
  bool is_volatile = false;
};
struct Method {
  SourcePos pos;
  std::string name;
  std::vector<std::string> parameters;
  BlockPtr body;
  std::string result;  // may be empty
};
struct Class {
  SourcePos pos;
  std::string name;
  std::vector<Field> fields;
  std::vector<Method> methods;
};
// A name every thread sees. Free variables of threads that are not declared denote plain objects.
struct Shared {
  SourcePos pos;
  std::string name;
  std::string class_name;              // object of this class, or
  std::optional<std::int64_t> length;  // array of this length
};
struct Thread {
  SourcePos pos;
  BlockPtr body;
};

struct Program {
  std::vector<Class> classes;
  std::vector<Shared> shared;
  std::vector<Thread> threads;

  const Method* find_method(const std::string& name) const;
  const Class* find_class(const std::string& name) const;
  bool is_volatile(const std::string& field) const;
};

ExprPtr clone(const Expr& e);
ExprPtr clone(const ExprPtr& e);  // null stays null
StmtPtr clone(const Stmt& s);
BlockPtr clone(const Block& b);
Program clone(const Program& p);

ExprPtr make_int(std::int64_t value);
ExprPtr make_var(std::string name);
ExprPtr make_binary(BinaryOp op, ExprPtr left, ExprPtr right);
ExprPtr make_not(ExprPtr operand);

template <class T>
StmtPtr make_stmt(T node, SourcePos pos = {}) {
  auto s = std::make_unique<Stmt>();
  s->pos = pos;
  s->node = std::move(node);
  return s;
}

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

}  // namespace bigfoot::bfj
