#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {
namespace {

ExprPtr make_expr(SourcePos pos, decltype(Expr::node) node) {
  auto e = std::make_unique<Expr>();
  e->pos = pos;
  e->node = std::move(node);
  return e;
}

CheckPath clone_path(const CheckPath& p) {
  return {p.is_write, p.base, p.fields, clone(p.begin), clone(p.end), p.step};
}

}  // namespace

const Method* Program::find_method(const std::string& name) const {
  for (const Class& c : classes) {
    for (const Method& m : c.methods) {
      if (m.name == name) return &m;
    }
  }
  return nullptr;
}

const Class* Program::find_class(const std::string& name) const {
  for (const Class& c : classes) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

bool Program::is_volatile(const std::string& field) const {
  for (const Class& c : classes) {
    for (const Field& f : c.fields) {
      if (f.name == field && f.is_volatile) return true;
    }
  }
  return false;
}

ExprPtr clone(const ExprPtr& e) {
  return e ? clone(*e) : nullptr;
}

ExprPtr clone(const Expr& e) {
  return std::visit(Overloaded{
                        [&](const Unary& n) {
                          return make_expr(e.pos, Unary{n.op, clone(n.operand)});
                        },
                        [&](const Binary& n) {
                          return make_expr(e.pos, Binary{n.op, clone(n.left), clone(n.right)});
                        },
                        [&](const auto& n) { return make_expr(e.pos, n); },
                    },
                    e.node);
}

StmtPtr clone(const Stmt& s) {
  return std::visit(
      Overloaded{
          [&](const Assign& n) {
            return make_stmt(Assign{n.target, clone(n.value)}, s.pos);
          },
          [&](const NewArray& n) {
            return make_stmt(NewArray{n.target, clone(n.length)}, s.pos);
          },
          [&](const FieldWrite& n) {
            return make_stmt(FieldWrite{n.base, n.field, clone(n.value)}, s.pos);
          },
          [&](const ArrayRead& n) {
            return make_stmt(ArrayRead{n.target, n.base, clone(n.index)}, s.pos);
          },
          [&](const ArrayWrite& n) {
            return make_stmt(ArrayWrite{n.base, clone(n.index), clone(n.value)}, s.pos);
          },
          [&](const Invoke& n) {
            Invoke copy{n.target, n.base, n.method, {}, n.fork};
            for (const ExprPtr& a : n.arguments) copy.arguments.push_back(clone(a));
            return make_stmt(std::move(copy), s.pos);
          },
          [&](const CheckStmt& n) {
            CheckStmt copy{{}, n.placement};
            for (const CheckPath& p : n.paths) copy.paths.push_back(clone_path(p));
            return make_stmt(std::move(copy), s.pos);
          },
          [&](const If& n) {
            return make_stmt(If{clone(n.condition), clone(*n.then_block), clone(*n.else_block)},
                             s.pos);
          },
          [&](const Loop& n) { return make_stmt(Loop{clone(*n.body)}, s.pos); },
          [&](const Break& n) { return make_stmt(Break{clone(n.condition)}, s.pos); },
          [&](const While& n) {
            return make_stmt(While{clone(n.condition), clone(*n.body)}, s.pos);
          },
          [&](const For& n) {
            return make_stmt(
                For{clone(*n.init), clone(*n.step), clone(n.condition), clone(*n.body)}, s.pos);
          },
          [&](const Try& n) {
            return make_stmt(Try{clone(*n.body), clone(*n.handler)}, s.pos);
          },
          [&](const auto& n) { return make_stmt(n, s.pos); },
      },
      s.node);
}

BlockPtr clone(const Block& b) {
  auto copy = std::make_unique<Block>();
  copy->stmts.reserve(b.stmts.size());
  for (const StmtPtr& s : b.stmts) copy->stmts.push_back(clone(*s));
  return copy;
}

Program clone(const Program& p) {
  Program copy;
  for (const Class& c : p.classes) {
    Class k{c.pos, c.name, c.fields, {}};
    for (const Method& m : c.methods) {
      k.methods.push_back({m.pos, m.name, m.parameters, clone(*m.body), m.result});
    }
    copy.classes.push_back(std::move(k));
  }
  copy.shared = p.shared;
  for (const Thread& t : p.threads) copy.threads.push_back({t.pos, clone(*t.body)});
  return copy;
}

ExprPtr make_int(std::int64_t value) {
  return make_expr({}, IntLiteral{value});
}
ExprPtr make_var(std::string name) {
  return make_expr({}, VarRef{std::move(name)});
}
ExprPtr make_binary(BinaryOp op, ExprPtr left, ExprPtr right) {
  return make_expr({}, Binary{op, std::move(left), std::move(right)});
}
ExprPtr make_not(ExprPtr operand) {
  return make_expr({}, Unary{UnaryOp::Not, std::move(operand)});
}

}  // namespace bigfoot::bfj
