#include "frontends/bfj/vm/evaluate.h"

namespace bigfoot::vm {
namespace {

using bfj::BinaryOp;

class Evaluation {
 public:
  Evaluation(const Frame& frame, std::minstd_rand& choices) : frame_(frame), choices_(choices) {}

  std::optional<Value> operator()(const bfj::Expr& e) {
    return std::visit([&](const auto& n) { return value(n); }, e.node);
  }

 private:
  using Result = std::optional<Value>;

  Value variable(const std::string& name) const {
    return frame_.slots[static_cast<std::size_t>(frame_.code->slots.at(name))];
  }
  Result value(const bfj::IntLiteral& n) { return Value::integer(n.value); }
  Result value(const bfj::BoolLiteral& n) { return Value::boolean(n.value); }
  Result value(const bfj::NullLiteral&) { return Value(); }
  Result value(const bfj::VarRef& n) { return variable(n.name); }
  Result value(const bfj::LengthOf& n) {
    const Value v = variable(n.array);
    if (!v.is_object() || v.target()->is_array == 0) return std::nullopt;
    return Value::integer(v.target()->units);
  }
  Result value(const bfj::Nondet&) { return Value::boolean((choices_() >> 8 & 1) != 0); }
  Result value(const bfj::Unary& n) {
    const Result v = (*this)(*n.operand);
    if (!v) return v;
    if (n.op == bfj::UnaryOp::Not) return Value::boolean(!v->truth());
    return v->is_integer() ? Value::integer(-v->number()) : std::nullopt;
  }
  Result value(const bfj::Binary& n) {
    const Result l = (*this)(*n.left);
    if (!l) return l;
    if (n.op == BinaryOp::And && !l->truth()) return Value::boolean(false);
    if (n.op == BinaryOp::Or && l->truth()) return Value::boolean(true);
    const Result r = (*this)(*n.right);
    if (!r) return r;
    if (n.op == BinaryOp::And || n.op == BinaryOp::Or) return Value::boolean(r->truth());
    if (n.op == BinaryOp::Equal) return Value::boolean(*l == *r);
    if (n.op == BinaryOp::NotEqual) return Value::boolean(!(*l == *r));
    if (!l->is_integer() || !r->is_integer()) return std::nullopt;
    return arithmetic(n.op, l->number(), r->number());
  }

  // Of numbers of 62 bits: sums cannot overflow 64, products can.
  static Result arithmetic(BinaryOp op, std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    switch (op) {
      case BinaryOp::Add:
        return Value::integer(a + b);
      case BinaryOp::Sub:
        return Value::integer(a - b);
      case BinaryOp::Mul:
        if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
        return Value::integer(product);
      case BinaryOp::Div:
        return b == 0 ? std::nullopt : Value::integer(a / b);
      case BinaryOp::Mod:
        return b == 0 ? std::nullopt : Value::integer(a % b);
      case BinaryOp::Less:
        return Value::boolean(a < b);
      case BinaryOp::AtMost:
        return Value::boolean(a <= b);
      case BinaryOp::Greater:
        return Value::boolean(a > b);
      case BinaryOp::AtLeast:
        return Value::boolean(a >= b);
      case BinaryOp::Equal:
      case BinaryOp::NotEqual:
      case BinaryOp::And:
      case BinaryOp::Or:
        break;
    }
    return std::nullopt;
  }

  const Frame& frame_;
  std::minstd_rand& choices_;
};

}  // namespace

std::optional<Value> evaluate(const bfj::Expr& e, const Frame& frame, std::minstd_rand& choices) {
  return Evaluation(frame, choices)(e);
}

}  // namespace bigfoot::vm
