#include "frontends/bfj/lower_expressions.h"

namespace bigfoot::bfj {

using ir::AccessKind;
using ir::Atom;
using ir::LinearExpr;
using ir::Space;
using ir::SymbolId;

namespace {

std::optional<ConditionFacts> comparison(BinaryOp op, const LinearExpr& l, const LinearExpr& r) {
  switch (op) {
    case BinaryOp::Equal:
      return ConditionFacts{{Atom::equal(l, r)}, {Atom::not_equal(l, r)}};
    case BinaryOp::NotEqual:
      return ConditionFacts{{Atom::not_equal(l, r)}, {Atom::equal(l, r)}};
    case BinaryOp::Less:
      return ConditionFacts{{Atom::less(l, r)}, {Atom::at_most(r, l)}};
    case BinaryOp::AtMost:
      return ConditionFacts{{Atom::at_most(l, r)}, {Atom::less(r, l)}};
    case BinaryOp::Greater:
      return ConditionFacts{{Atom::less(r, l)}, {Atom::at_most(l, r)}};
    case BinaryOp::AtLeast:
      return ConditionFacts{{Atom::at_most(r, l)}, {Atom::less(l, r)}};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<LinearExpr> ExpressionLowering::linear(const Expr& e) {
  return std::visit(
      Overloaded{
          [](const IntLiteral& n) { return std::optional<LinearExpr>(n.value); },
          [](const BoolLiteral& n) { return std::optional<LinearExpr>(n.value ? 1 : 0); },
          [](const NullLiteral&) { return std::optional<LinearExpr>(0); },
          [&](const VarRef& n) { return std::optional<LinearExpr>(value_of(n.name)); },
          [&](const LengthOf& n) { return length(n.array); },
          [](const Nondet&) { return std::optional<LinearExpr>(); },
          [&](const Unary& n) -> std::optional<LinearExpr> {
            if (n.op != UnaryOp::Negate) return std::nullopt;
            const auto v = linear(*n.operand);
            if (!v) return std::nullopt;
            return -*v;
          },
          [&](const Binary& n) { return linear_binary(n); },
      },
      e.node);
}

std::optional<LinearExpr> ExpressionLowering::linear_binary(const Binary& n) {
  if (n.op != BinaryOp::Add && n.op != BinaryOp::Sub && n.op != BinaryOp::Mul) {
    return std::nullopt;
  }
  const auto l = linear(*n.left);
  const auto r = linear(*n.right);
  if (!l || !r) return std::nullopt;
  if (n.op == BinaryOp::Add) return *l + *r;
  if (n.op == BinaryOp::Sub) return *l - *r;
  if (l->is_constant()) return *r * l->constant();
  if (r->is_constant()) return *l * r->constant();
  return std::nullopt;
}

std::optional<LinearExpr> ExpressionLowering::length(const std::string& array) {
  const LinearExpr base = value_of(array);
  if (!base.is_symbol()) return std::nullopt;
  const auto it = lengths_.find(base.symbol());
  if (it != lengths_.end()) return it->second;
  const SymbolId s = b_.pure_symbol(array + ".length", b_.symbol(base.symbol()).scope);
  out_.length_of[s] = base.symbol();
  return lengths_[base.symbol()] = LinearExpr(s);
}

LinearExpr ExpressionLowering::value(const Expr& e, const std::string& name) {
  const auto v = linear(e);
  if (v && v->valid()) return *v;
  const SymbolId s = emit_opaque(name);
  const ConditionFacts facts = condition(e);
  if (!facts.when_true.empty() || !facts.when_false.empty()) remembered_[s] = facts;
  return LinearExpr(s);
}

ConditionFacts ExpressionLowering::condition(const Expr& e) {
  if (const auto* n = std::get_if<Unary>(&e.node); n != nullptr && n->op == UnaryOp::Not) {
    ConditionFacts inner = condition(*n->operand);
    return {std::move(inner.when_false), std::move(inner.when_true)};
  }
  if (const auto* n = std::get_if<Binary>(&e.node)) {
    if (n->op == BinaryOp::And || n->op == BinaryOp::Or) return connective(*n);
    const auto l = linear(*n->left);
    const auto r = linear(*n->right);
    if (l && r) {
      if (auto facts = comparison(n->op, *l, *r)) return *facts;
    }
    return {};
  }
  const auto v = linear(e);
  if (!v || !v->valid()) return {};
  ConditionFacts facts;
  if (v->is_symbol() && remembered_.contains(v->symbol())) facts = remembered_[v->symbol()];
  facts.when_true.push_back(Atom::not_equal(*v, 0));
  facts.when_false.push_back(Atom::equal(*v, 0));
  return facts;
}

ConditionFacts ExpressionLowering::connective(const Binary& n) {
  ConditionFacts l = condition(*n.left);
  ConditionFacts r = condition(*n.right);
  ConditionFacts facts;
  auto& conjoined = n.op == BinaryOp::And ? facts.when_true : facts.when_false;
  for (ConditionFacts* side : {&l, &r}) {
    auto& from = n.op == BinaryOp::And ? side->when_true : side->when_false;
    conjoined.insert(conjoined.end(), from.begin(), from.end());
  }
  return facts;
}

SymbolId ExpressionLowering::base_symbol(const std::string& variable) {
  const LinearExpr v = value_of(variable);
  if (v.is_symbol()) return v.symbol();
  const SymbolId s = emit_opaque(variable);
  bind(variable, LinearExpr(s), anchor_);
  return s;
}

ir::Path ExpressionLowering::field_path(const std::string& base, const std::string& name) {
  return {base_symbol(base), Space::Fields, logic::block(LinearExpr(field(name)), 1)};
}

ir::Path ExpressionLowering::element_path(const std::string& base, const Expr& index) {
  const SymbolId s = base_symbol(base);
  return {s, Space::Elements, logic::block(value(index, "index"), 1)};
}

ir::MemoryClass ExpressionLowering::class_of_field(const std::string& name) const {
  return ir::MemoryClass(static_cast<std::uint32_t>(field(name)) + 1);
}

void ExpressionLowering::read(const ir::Path& path, ir::MemoryClass c, SymbolId result,
                              const Stmt& s) {
  b_.access(AccessKind::Read, path, c, result);
  note_access(s);
}

void ExpressionLowering::write(const ir::Path& path, ir::MemoryClass c, const LinearExpr& stored,
                               const Stmt& s) {
  b_.access(AccessKind::Write, path, c, {},
            stored.is_symbol() ? std::optional(stored.symbol()) : std::nullopt);
  note_access(s);
}

}  // namespace bigfoot::bfj
