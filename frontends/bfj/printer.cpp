#include "frontends/bfj/printer.h"

#include <array>

namespace bigfoot::bfj {
namespace {

constexpr int kAnnotationColumn = 36;

struct OpText {
  const char* text;
  int precedence;
};
// Indexed by BinaryOp.
constexpr std::array<OpText, 13> kOps{{{"+", 5},
                                       {"-", 5},
                                       {"*", 6},
                                       {"/", 6},
                                       {"%", 6},
                                       {"==", 3},
                                       {"!=", 3},
                                       {"<", 4},
                                       {"<=", 4},
                                       {">", 4},
                                       {">=", 4},
                                       {"&&", 2},
                                       {"||", 1}}};
constexpr int kUnaryPrecedence = 7;

std::string print_expr(const Expr& e, int context) {
  return std::visit(
      Overloaded{
          [](const IntLiteral& n) { return std::to_string(n.value); },
          [](const BoolLiteral& n) { return std::string(n.value ? "true" : "false"); },
          [](const NullLiteral&) { return std::string("null"); },
          [](const VarRef& n) { return n.name; },
          [](const LengthOf& n) { return n.array + ".length"; },
          [](const Nondet&) { return std::string("?"); },
          [](const Unary& n) {
            return (n.op == UnaryOp::Negate ? "-" : "!") + print_expr(*n.operand, kUnaryPrecedence);
          },
          [&](const Binary& n) {
            const OpText& op = kOps[static_cast<std::size_t>(n.op)];
            std::string text = print_expr(*n.left, op.precedence) + " " + op.text + " " +
                               print_expr(*n.right, op.precedence + 1);
            return op.precedence < context ? "(" + text + ")" : text;
          },
      },
      e.node);
}

std::string join_names(const std::vector<std::string>& names, const char* separator) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : separator) + n;
  return text;
}

const char* sync_name(Sync::Kind kind) {
  constexpr std::array<const char*, 5> kNames{"acq", "rel", "join", "wait", "notify"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string print_invoke(const Invoke& n) {
  std::string text = n.target.empty() ? "" : n.target + " = ";
  text += (n.fork ? "fork " : "") + n.base + "." + n.method + "(";
  for (std::size_t i = 0; i < n.arguments.size(); ++i) {
    text += (i ? ", " : "") + print(*n.arguments[i]);
  }
  return text + ");";
}

std::string print_check(const CheckStmt& n) {
  std::string text;
  for (const bool writes : {false, true}) {
    std::string paths;
    for (const CheckPath& p : n.paths) {
      if (p.is_write == writes) paths += (paths.empty() ? "" : ", ") + print(p);
    }
    if (paths.empty()) continue;
    text += (text.empty() ? "" : " ");
    text += (writes ? "check_write(" : "check_read(") + paths + ");";
  }
  return text;
}

class Printer {
 public:
  explicit Printer(const Annotator& annotate) : annotate_(annotate) {}

  std::string program(const Program& p) {
    for (const Class& c : p.classes) print_class(c);
    for (const Shared& s : p.shared) {
      std::string text = "shared " + s.name;
      if (!s.class_name.empty()) text += " = new " + s.class_name;
      if (s.length) text += " = new_array " + std::to_string(*s.length);
      line(text + ";");
    }
    for (const Thread& t : p.threads) {
      line("thread {");
      block(*t.body);
      line("}");
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& text, const std::string& note = {}) {
    std::string row(static_cast<std::size_t>(indent_) * 2, ' ');
    row += text;
    if (!note.empty()) {
      if (row.size() < kAnnotationColumn) row.resize(kAnnotationColumn, ' ');
      row += "  // " + note;
    }
    out_ += row + "\n";
  }

  void print_class(const Class& c) {
    line("class " + c.name + " {");
    ++indent_;
    for (const Field& f : c.fields) line((f.is_volatile ? "volatile " : "") + f.name + ";");
    for (const Method& m : c.methods) {
      line(m.name + "(" + join_names(m.parameters, ", ") + ") {");
      block(*m.body);
      if (!m.result.empty()) line("  return " + m.result + ";");
      line("}");
    }
    --indent_;
    line("}");
  }

  void block(const Block& b) {
    ++indent_;
    for (const StmtPtr& s : b.stmts) statement(*s);
    --indent_;
  }

  void statement(const Stmt& s) {
    const std::string note = annotate_ ? annotate_(s) : std::string();
    std::visit(Overloaded{
                   [&](const If& n) {
                     line(print_head(s) + " {");
                     block(*n.then_block);
                     if (!n.else_block->stmts.empty()) {
                       line("} else {");
                       block(*n.else_block);
                     }
                     line("}", note);
                   },
                   [&](const Try& n) {
                     line("try {");
                     block(*n.body);
                     line("} catch {");
                     block(*n.handler);
                     line("}", note);
                   },
                   [&](const Loop& n) { nested(s, *n.body, note); },
                   [&](const While& n) { nested(s, *n.body, note); },
                   [&](const For& n) { nested(s, *n.body, note); },
                   [&](const auto&) { line(print_head(s), note); },
               },
               s.node);
  }

  void nested(const Stmt& s, const Block& body, const std::string& note) {
    line(print_head(s) + " {");
    block(body);
    line("}", note);
  }

  const Annotator& annotate_;
  std::string out_;
  int indent_ = 0;
};

std::string print_assignment(const Stmt& s) {
  const auto& a = std::get<Assign>(s.node);
  return a.target + " = " + print(*a.value);
}

}  // namespace

std::string print(const Expr& expr) {
  return print_expr(expr, 0);
}

std::string print(const CheckPath& path) {
  if (!path.fields.empty()) return path.base + "." + join_names(path.fields, "/");
  std::string text = path.base + "[" + print(*path.begin);
  if (path.end) text += ".." + print(*path.end);
  if (path.step != 1) text += ":" + std::to_string(path.step);
  return text + "]";
}

std::string print_head(const Stmt& stmt) {
  return std::visit(
      Overloaded{
          [](const Skip&) { return std::string("skip;"); },
          [&](const Assign&) { return print_assignment(stmt) + ";"; },
          [](const Rename& n) { return n.target + " <- " + n.source + ";"; },
          [](const Sync& n) { return std::string(sync_name(n.kind)) + "(" + n.object + ");"; },
          [](const New& n) { return n.target + " = new " + n.class_name + ";"; },
          [](const NewArray& n) { return n.target + " = new_array " + print(*n.length) + ";"; },
          [](const FieldRead& n) { return n.target + " = " + n.base + "." + n.field + ";"; },
          [](const FieldWrite& n) {
            return n.base + "." + n.field + " = " + print(*n.value) + ";";
          },
          [](const ArrayRead& n) {
            return n.target + " = " + n.base + "[" + print(*n.index) + "];";
          },
          [](const ArrayWrite& n) {
            return n.base + "[" + print(*n.index) + "] = " + print(*n.value) + ";";
          },
          [](const Invoke& n) { return print_invoke(n); },
          [](const CheckStmt& n) { return print_check(n); },
          [](const If& n) { return "if (" + print(*n.condition) + ")"; },
          [](const Loop&) { return std::string("loop"); },
          [](const Break& n) {
            return n.condition ? "if (" + print(*n.condition) + ") break;" : std::string("break;");
          },
          [](const While& n) { return "while (" + print(*n.condition) + ")"; },
          [](const For& n) {
            return "for (" + print_assignment(*n.init) + "; " + print(*n.condition) + "; " +
                   print_assignment(*n.step) + ")";
          },
          [](const Try&) { return std::string("try"); },
          [](const Throw&) { return std::string("throw;"); },
          [](const Halt&) { return std::string("halt;"); },
      },
      stmt.node);
}

std::string print(const Program& program, const Annotator& annotate) {
  return Printer(annotate).program(program);
}

}  // namespace bigfoot::bfj
