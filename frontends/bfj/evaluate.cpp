#include "frontends/bfj/evaluate.h"

namespace bigfoot::bfj {
namespace {

Value integer(std::int64_t n) {
  return {Value::Kind::Int, n};
}
Value boolean(bool b) {
  return integer(b ? 1 : 0);
}

std::optional<Value> arithmetic(BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
    case BinaryOp::Less:
      return boolean(a < b);
    case BinaryOp::AtMost:
      return boolean(a <= b);
    case BinaryOp::Greater:
      return boolean(a > b);
    case BinaryOp::AtLeast:
      return boolean(a >= b);
    case BinaryOp::Add:
      if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
      break;
    case BinaryOp::Sub:
      if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
      break;
    case BinaryOp::Mul:
      if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
      break;
    default:  // Div, Mod
      if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
      result = op == BinaryOp::Div ? a / b : a % b;
      break;
  }
  return integer(result);
}

class Evaluator {
 public:
  Evaluator(const Environment& environment, bool choice)
      : environment_(environment), choice_(choice) {}

  std::optional<Value> evaluate(const Expr& e) const {
    using Result = std::optional<Value>;
    return std::visit(Overloaded{
                          [](const IntLiteral& n) { return Result(integer(n.value)); },
                          [](const BoolLiteral& n) { return Result(boolean(n.value)); },
                          [](const NullLiteral&) { return Result(Value{}); },
                          [&](const VarRef& n) { return Result(environment_.variable(n.name)); },
                          [&](const LengthOf& n) -> Result {
                            const Value array = environment_.variable(n.array);
                            const auto length = environment_.length_of(array);
                            if (!length) return std::nullopt;
                            return integer(*length);
                          },
                          [&](const Nondet&) { return Result(boolean(choice_)); },
                          [&](const Unary& n) { return unary(n); },
                          [&](const Binary& n) { return binary(n); },
                      },
                      e.node);
  }

 private:
  std::optional<Value> unary(const Unary& n) const;
  std::optional<Value> binary(const Binary& n) const;

  const Environment& environment_;
  bool choice_;
};

std::optional<Value> Evaluator::unary(const Unary& n) const {
  const auto v = evaluate(*n.operand);
  if (!v) return std::nullopt;
  if (n.op == UnaryOp::Not) return boolean(!truth(*v));
  std::int64_t negative;
  if (v->kind != Value::Kind::Int ||
      __builtin_sub_overflow(std::int64_t{0}, v->number, &negative)) {
    return std::nullopt;
  }
  return integer(negative);
}

std::optional<Value> Evaluator::binary(const Binary& n) const {
  const auto l = evaluate(*n.left);
  if (!l) return std::nullopt;
  if (n.op == BinaryOp::And && !truth(*l)) return boolean(false);
  if (n.op == BinaryOp::Or && truth(*l)) return boolean(true);
  const auto r = evaluate(*n.right);
  if (!r) return std::nullopt;
  switch (n.op) {
    case BinaryOp::And:
    case BinaryOp::Or:
      return boolean(truth(*r));
    case BinaryOp::Equal:
      return boolean(*l == *r);
    case BinaryOp::NotEqual:
      return boolean(!(*l == *r));
    default:
      if (l->kind != Value::Kind::Int || r->kind != Value::Kind::Int) return std::nullopt;
      return arithmetic(n.op, l->number, r->number);
  }
}

}  // namespace

std::optional<Value> evaluate(const Expr& e, const Environment& environment, bool choice) {
  return Evaluator(environment, choice).evaluate(e);
}

}  // namespace bigfoot::bfj
