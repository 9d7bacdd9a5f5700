#include "frontends/bfj/expression_parser.h"

#include <array>

namespace bigfoot::bfj {
namespace {

struct OpInfo {
  std::string_view text;
  BinaryOp op;
  int precedence;
};
constexpr std::array<OpInfo, 13> kBinary{{{"||", BinaryOp::Or, 1},
                                          {"&&", BinaryOp::And, 2},
                                          {"==", BinaryOp::Equal, 3},
                                          {"!=", BinaryOp::NotEqual, 3},
                                          {"<=", BinaryOp::AtMost, 4},
                                          {">=", BinaryOp::AtLeast, 4},
                                          {"<", BinaryOp::Less, 4},
                                          {">", BinaryOp::Greater, 4},
                                          {"+", BinaryOp::Add, 5},
                                          {"-", BinaryOp::Sub, 5},
                                          {"*", BinaryOp::Mul, 6},
                                          {"/", BinaryOp::Div, 6},
                                          {"%", BinaryOp::Mod, 6}}};

}  // namespace

ExprPtr ExpressionParser::parse_expr(int min_precedence) {
  const Level level(*this, "expression is");
  if (level.too_deep()) return nullptr;
  ExprPtr left = parse_unary();
  int chain = 0;
  while (!failed()) {
    const OpInfo* op = nullptr;
    for (const OpInfo& info : kBinary) {
      if (at(info.text)) op = &info;
    }
    if (op == nullptr || op->precedence < min_precedence) break;
    // The tree leans left, so a long chain is as deep as a nested expression.
    if (++chain > kMaxDepth) {
      error("expression is too long");
      break;
    }
    const SourcePos pos = peek().pos;
    skip();
    ExprPtr right = parse_expr(op->precedence + 1);
    if (failed()) break;
    left = make_binary(op->op, std::move(left), std::move(right));
    left->pos = pos;
  }
  return left;
}

ExprPtr ExpressionParser::parse_unary() {
  const SourcePos pos = peek().pos;
  auto e = std::make_unique<Expr>();
  e->pos = pos;
  if (at("-") || at("!")) {
    const UnaryOp op = at("-") ? UnaryOp::Negate : UnaryOp::Not;
    skip();
    const Level level(*this, "expression is");
    if (!level.too_deep()) e->node = Unary{op, parse_unary()};
  } else if (accept("(")) {
    e = parse_expr();
    if (!failed()) expect(")");
  } else if (peek().kind == Token::Kind::Number) {
    e->node = IntLiteral{next().number};
  } else if (accept("true")) {
    e->node = BoolLiteral{true};
  } else if (accept("false")) {
    e->node = BoolLiteral{false};
  } else if (accept("null")) {
    e->node = NullLiteral{};
  } else if (accept("?")) {
    e->node = Nondet{};
  } else if (at_name() && at(".", 1) && at("length", 2)) {
    e->node = LengthOf{name("a variable")};
    skip(2);
  } else if (at_name()) {
    e->node = VarRef{name("a variable")};
  } else {
    error("expected an expression" + found());
  }
  return e;
}

}  // namespace bigfoot::bfj
