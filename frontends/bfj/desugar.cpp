#include "frontends/bfj/desugar.h"

#include <functional>

namespace bigfoot::bfj {
namespace {

bool is_linear(const Expr& e) {
  return std::visit(
      Overloaded{
          [](const Unary& n) { return n.op == UnaryOp::Negate && is_linear(*n.operand); },
          [](const Binary& n) {
            if (n.op == BinaryOp::Mul) {
              return (std::holds_alternative<IntLiteral>(n.left->node) && is_linear(*n.right)) ||
                     (std::holds_alternative<IntLiteral>(n.right->node) && is_linear(*n.left));
            }
            return (n.op == BinaryOp::Add || n.op == BinaryOp::Sub) && is_linear(*n.left) &&
                   is_linear(*n.right);
          },
          [](const Nondet&) { return false; },
          [](const auto&) { return true; },
      },
      e.node);
}

class Desugarer {
 public:
  BlockPtr block(const Block& b) {
    auto result = std::make_unique<Block>();
    result->stmts.reserve(b.stmts.size());
    for (const StmtPtr& s : b.stmts) statement(*s, *result);
    return result;
  }

 private:
  void statement(const Stmt& s, Block& out) {
    std::visit(
        Overloaded{
            [&](const While& n) { while_loop(*n.condition, *n.body, nullptr, s.pos, out); },
            [&](const For& n) {
              out.stmts.push_back(clone(*n.init));
              while_loop(*n.condition, *n.body, n.step.get(), s.pos, out);
            },
            [&](const If& n) {
              out.stmts.push_back(make_stmt(
                  If{clone(n.condition), block(*n.then_block), block(*n.else_block)}, s.pos));
            },
            [&](const Loop& n) { out.stmts.push_back(make_stmt(Loop{block(*n.body)}, s.pos)); },
            [&](const Try& n) {
              out.stmts.push_back(make_stmt(Try{block(*n.body), block(*n.handler)}, s.pos));
            },
            [&](const ArrayRead& n) {
              out.stmts.push_back(
                  make_stmt(ArrayRead{n.target, n.base, index(*n.index, s.pos, out)}, s.pos));
            },
            [&](const ArrayWrite& n) {
              ExprPtr i = index(*n.index, s.pos, out);
              out.stmts.push_back(
                  make_stmt(ArrayWrite{n.base, std::move(i), clone(n.value)}, s.pos));
            },
            [&](const auto&) { out.stmts.push_back(clone(s)); },
        },
        s.node);
  }

  void while_loop(const Expr& condition, const Block& body, const Stmt* step, SourcePos pos,
                  Block& out) {
    auto inner = block(body);
    if (step != nullptr) inner->stmts.push_back(clone(*step));
    inner->stmts.push_back(make_stmt(Break{negated(condition)}, pos));
    auto guarded = std::make_unique<Block>();
    guarded->stmts.push_back(make_stmt(Loop{std::move(inner)}, pos));
    out.stmts.push_back(
        make_stmt(If{clone(condition), std::move(guarded), std::make_unique<Block>()}, pos));
  }

  ExprPtr index(const Expr& e, SourcePos pos, Block& out) {
    if (is_linear(e)) return clone(e);
    std::string name = "index$" + std::to_string(++temporaries_);
    out.stmts.push_back(make_stmt(Assign{name, clone(e)}, pos));
    return make_var(std::move(name));
  }

  int temporaries_ = 0;
};

Program map_blocks(const Program& p, const std::function<BlockPtr(const Block&)>& f) {
  Program result;
  result.shared = p.shared;
  for (const Class& c : p.classes) {
    Class k{c.pos, c.name, c.fields, {}};
    for (const Method& m : c.methods) {
      k.methods.push_back({m.pos, m.name, m.parameters, f(*m.body), m.result});
    }
    result.classes.push_back(std::move(k));
  }
  for (const Thread& t : p.threads) result.threads.push_back({t.pos, f(*t.body)});
  return result;
}

void remove_checks(Block& b) {
  std::erase_if(b.stmts,
                [](const StmtPtr& s) { return std::holds_alternative<CheckStmt>(s->node); });
  for (StmtPtr& s : b.stmts) {
    std::visit(Overloaded{
                   [](If& n) {
                     remove_checks(*n.then_block);
                     remove_checks(*n.else_block);
                   },
                   [](Loop& n) { remove_checks(*n.body); },
                   [](While& n) { remove_checks(*n.body); },
                   [](For& n) { remove_checks(*n.body); },
                   [](Try& n) {
                     remove_checks(*n.body);
                     remove_checks(*n.handler);
                   },
                   [](auto&) {},
               },
               s->node);
  }
}

}  // namespace

ExprPtr negated(const Expr& e) {
  if (const auto* n = std::get_if<Unary>(&e.node); n != nullptr && n->op == UnaryOp::Not) {
    return clone(n->operand);
  }
  if (const auto* n = std::get_if<Binary>(&e.node)) {
    const auto flipped = [&](BinaryOp op) {
      return make_binary(op, clone(n->left), clone(n->right));
    };
    switch (n->op) {
      case BinaryOp::Equal:
        return flipped(BinaryOp::NotEqual);
      case BinaryOp::NotEqual:
        return flipped(BinaryOp::Equal);
      case BinaryOp::Less:
        return flipped(BinaryOp::AtLeast);
      case BinaryOp::AtLeast:
        return flipped(BinaryOp::Less);
      case BinaryOp::Greater:
        return flipped(BinaryOp::AtMost);
      case BinaryOp::AtMost:
        return flipped(BinaryOp::Greater);
      default:
        break;
    }
  }
  return make_not(clone(e));
}

Program desugar(const Program& program) {
  Desugarer d;
  return map_blocks(program, [&](const Block& b) { return d.block(b); });
}

Program strip_checks(const Program& program) {
  return map_blocks(program, [](const Block& b) {
    BlockPtr copy = clone(b);
    remove_checks(*copy);
    return copy;
  });
}

}  // namespace bigfoot::bfj
