#include "frontends/bfj/statement_parser.h"

#include <map>

namespace bigfoot::bfj {

template <class T>
StmtPtr StatementParser::finish(T node, SourcePos pos) {
  if (!failed()) expect(";");
  return make_stmt(std::move(node), pos);
}

BlockPtr StatementParser::parse_block() {
  auto block = std::make_unique<Block>();
  if (!expect("{")) return block;
  parse_statements(*block);
  expect("}");
  return block;
}

void StatementParser::parse_statements(Block& block) {
  while (!at("}") && !at("return") && !at_end() && !too_many_errors()) {
    const std::size_t start = position();
    StmtPtr s = parse_statement();
    if (failed()) {
      recover();
      if (position() == start) skip();
      continue;
    }
    block.stmts.push_back(std::move(s));
  }
}

StmtPtr StatementParser::parse_statement() {
  const SourcePos pos = peek().pos;
  const Level level(*this, "statements are");
  if (level.too_deep()) return nullptr;
  StmtPtr s = parse_keyword_statement(pos);
  if (!s && !failed()) s = parse_simple_statement(pos);
  if (!s && !failed()) error("expected a statement" + found());
  return s;
}

StmtPtr StatementParser::parse_keyword_statement(SourcePos pos) {
  if (accept("skip")) return finish(Skip{}, pos);
  if (accept("throw")) return finish(Throw{}, pos);
  if (accept("halt")) return finish(Halt{}, pos);
  if (accept("break")) {
    if (loop_depth_ == 0) error_at(pos, "'break' outside a loop");
    return finish(Break{nullptr}, pos);
  }
  static const std::map<std::string_view, Sync::Kind> kSync{{"acq", Sync::Kind::Acquire},
                                                            {"rel", Sync::Kind::Release},
                                                            {"join", Sync::Kind::Join},
                                                            {"wait", Sync::Kind::Wait},
                                                            {"notify", Sync::Kind::Notify}};
  const auto sync = kSync.find(peek().text);
  if (sync != kSync.end()) {
    skip();
    expect("(");
    std::string object = failed() ? "" : name("a variable");
    if (!failed()) expect(")");
    return finish(Sync{sync->second, std::move(object)}, pos);
  }
  if (accept("if")) return parse_if(pos);
  if (accept("loop")) return make_stmt(Loop{parse_loop_body()}, pos);
  if (accept("while")) {
    ExprPtr condition = parse_condition();
    if (failed()) return nullptr;
    return make_stmt(While{std::move(condition), parse_loop_body()}, pos);
  }
  if (accept("for")) return parse_for(pos);
  if (accept("try")) {
    BlockPtr body = parse_block();
    if (failed() || !expect("catch")) return nullptr;
    return make_stmt(Try{std::move(body), parse_block()}, pos);
  }
  if (at("check_read") || at("check_write")) return parse_check(pos);
  return nullptr;
}

BlockPtr StatementParser::parse_loop_body() {
  ++loop_depth_;
  BlockPtr body = parse_block();
  --loop_depth_;
  return body;
}

ExprPtr StatementParser::parse_condition() {
  if (!expect("(")) return nullptr;
  ExprPtr e = parse_expr();
  if (!failed()) expect(")");
  return e;
}

StmtPtr StatementParser::parse_if(SourcePos pos) {
  ExprPtr condition = parse_condition();
  if (failed()) return nullptr;
  if (at("break")) {
    if (loop_depth_ == 0) error("'break' outside a loop");
    skip();
    return finish(Break{std::move(condition)}, pos);
  }
  BlockPtr then_block = parse_block();
  BlockPtr else_block = std::make_unique<Block>();
  if (!failed() && accept("else")) else_block = parse_block();
  return make_stmt(If{std::move(condition), std::move(then_block), std::move(else_block)}, pos);
}

StmtPtr StatementParser::parse_for(SourcePos pos) {
  if (!expect("(")) return nullptr;
  StmtPtr init = parse_assignment();
  if (failed() || !expect(";")) return nullptr;
  ExprPtr condition = parse_expr();
  if (failed() || !expect(";")) return nullptr;
  StmtPtr step = parse_assignment();
  if (failed() || !expect(")")) return nullptr;
  return make_stmt(For{std::move(init), std::move(step), std::move(condition), parse_loop_body()},
                   pos);
}

StmtPtr StatementParser::parse_assignment() {
  const SourcePos pos = peek().pos;
  std::string target = name("a variable");
  if (failed() || !expect("=")) return nullptr;
  return make_stmt(Assign{std::move(target), parse_expr()}, pos);
}

StmtPtr StatementParser::parse_simple_statement(SourcePos pos) {
  if (!at_name()) return nullptr;
  std::string first = name("a variable");
  if (accept("<-")) return finish(Rename{std::move(first), name("a variable")}, pos);
  if (accept(".")) return parse_after_dot(std::move(first), pos);
  if (accept("[")) {
    ExprPtr index = parse_expr();
    if (failed() || !expect("]") || !expect("=")) return nullptr;
    return finish(ArrayWrite{std::move(first), std::move(index), parse_expr()}, pos);
  }
  if (!expect("=")) return nullptr;
  return parse_right_side(std::move(first), pos);
}

StmtPtr StatementParser::parse_after_dot(std::string base, SourcePos pos) {
  std::string member = name("a field or method");
  if (failed()) return nullptr;
  if (at("(")) {
    Invoke call{{}, std::move(base), std::move(member), parse_arguments(), false};
    return finish(std::move(call), pos);
  }
  if (!expect("=")) return nullptr;
  if (member == "length") error_at(pos, "'length' cannot be assigned");
  return finish(FieldWrite{std::move(base), std::move(member), parse_expr()}, pos);
}

StmtPtr StatementParser::parse_right_side(std::string target, SourcePos pos) {
  if (accept("new")) return finish(New{std::move(target), name("a class name")}, pos);
  if (accept("new_array")) return finish(NewArray{std::move(target), parse_expr()}, pos);
  if (accept("fork")) {
    std::string base = name("a variable");
    if (failed() || !expect(".")) return nullptr;
    std::string method = name("a method");
    if (failed()) return nullptr;
    return finish(
        Invoke{std::move(target), std::move(base), std::move(method), parse_arguments(), true},
        pos);
  }
  if (at_name() && at(".", 1) && at_name(2) && at("(", 3)) {
    std::string base = name("a variable");
    skip();
    std::string method = name("a method");
    return finish(
        Invoke{std::move(target), std::move(base), std::move(method), parse_arguments(), false},
        pos);
  }
  if (at_name() && at(".", 1) && at_name(2) && at(";", 3) && !at("length", 2)) {
    std::string base = name("a variable");
    skip();
    return finish(FieldRead{std::move(target), std::move(base), name("a field")}, pos);
  }
  if (at_name() && at("[", 1)) {
    std::string base = name("a variable");
    skip();
    ExprPtr index = parse_expr();
    if (failed() || !expect("]")) return nullptr;
    return finish(ArrayRead{std::move(target), std::move(base), std::move(index)}, pos);
  }
  return finish(Assign{std::move(target), parse_expr()}, pos);
}

std::vector<ExprPtr> StatementParser::parse_arguments() {
  std::vector<ExprPtr> arguments;
  if (!expect("(")) return arguments;
  if (!at(")")) {
    do arguments.push_back(parse_expr());
    while (!failed() && accept(","));
  }
  if (!failed()) expect(")");
  return arguments;
}

StmtPtr StatementParser::parse_check(SourcePos pos) {
  const bool is_write = at("check_write");
  skip();
  CheckStmt check;
  if (!expect("(")) return nullptr;
  do check.paths.push_back(parse_check_path(is_write));
  while (!failed() && accept(","));
  if (!failed()) expect(")");
  return finish(std::move(check), pos);
}

CheckPath StatementParser::parse_check_path(bool is_write) {
  CheckPath path;
  path.is_write = is_write;
  path.base = name("a variable");
  if (failed()) return path;
  if (accept(".")) {
    do path.fields.push_back(name("a field"));
    while (!failed() && accept("/"));
    return path;
  }
  if (!expect("[")) return path;
  path.begin = parse_expr();
  if (!failed() && accept("..")) {
    path.end = parse_expr();
    if (!failed() && accept(":")) {
      if (peek().kind == Token::Kind::Number && peek().number > 0) {
        path.step = next().number;
      } else {
        error("expected a positive step" + found());
      }
    }
  }
  if (!failed()) expect("]");
  return path;
}

}  // namespace bigfoot::bfj
