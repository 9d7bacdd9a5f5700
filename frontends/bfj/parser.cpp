#include "frontends/bfj/parser.h"

#include <array>
#include <map>
#include <set>

#include "frontends/bfj/lexer.h"

namespace bigfoot::bfj {
namespace {

constexpr std::array<std::string_view, 29> kReserved{
    "class", "shared", "thread", "volatile", "return",   "skip", "acq",        "rel",
    "new",   "join",   "wait",   "notify",   "if",       "else", "break",      "loop",
    "while", "for",    "try",    "catch",    "throw",    "halt", "check_read", "check_write",
    "fork",  "true",   "false",  "null",     "new_array"};

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

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenize(text)) {}

  ParseResult run() {
    while (peek().kind != Token::Kind::End && errors_.size() < kMaxErrors) {
      const std::size_t start = at_;
      parse_item();
      if (at_ == start) ++at_;  // recovery always makes progress
    }
    if (errors_.empty()) check_names();
    return {std::move(program_), std::move(errors_)};
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool at(std::string_view text, std::size_t ahead = 0) const {
    const Token& t = peek(ahead);
    return (t.kind == Token::Kind::Punctuation || t.kind == Token::Kind::Name) && t.text == text;
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    ++at_;
    return true;
  }
  bool expect(std::string_view text) {
    if (accept(text)) return true;
    error("expected '" + std::string(text) + "'" + found());
    return false;
  }
  std::string found() const {
    if (peek().kind == Token::Kind::End) return " before the end of the file";
    return " but found '" + std::string(peek().text) + "'";
  }
  void error(std::string message) { error_at(peek().pos, std::move(message)); }
  void error_at(SourcePos pos, std::string message) {
    failed_ = true;
    if (errors_.size() < kMaxErrors) errors_.push_back({pos, std::move(message)});
  }
  static bool reserved(std::string_view name) {
    for (std::string_view r : kReserved) {
      if (r == name) return true;
    }
    return false;
  }
  bool at_name(std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::Name && !reserved(peek(ahead).text);
  }
  std::string name(std::string_view what) {
    if (at_name()) return std::string(tokens_[at_++].text);
    error("expected " + std::string(what) + found());
    return {};
  }

  // Skips to just after the next ';', or to a '}' or the end, so that parsing can go on there.
  void recover() {
    failed_ = false;
    int depth = 0;
    while (peek().kind != Token::Kind::End) {
      if (at("{")) ++depth;
      if (at("}") && depth-- == 0) return;
      const bool done = depth == 0 && at(";");
      ++at_;
      if (done) return;
    }
  }

  void parse_item() {
    const SourcePos pos = peek().pos;
    if (accept("class")) return parse_class(pos);
    if (accept("shared")) return parse_shared(pos);
    if (accept("thread")) {
      program_.threads.push_back({pos, parse_block()});
      if (failed_) recover();
      return;
    }
    error("expected 'class', 'shared' or 'thread'" + found());
    recover();
    accept("}");
  }

  void parse_class(SourcePos pos) {
    Class c{pos, name("a class name"), {}, {}};
    expect("{");
    while (!failed_ && !at("}") && peek().kind != Token::Kind::End) {
      parse_member(c);
      if (failed_) recover();
    }
    expect("}");
    if (failed_) recover();
    program_.classes.push_back(std::move(c));
  }

  void parse_member(Class& c) {
    const SourcePos pos = peek().pos;
    const bool is_volatile = accept("volatile");
    std::string first = name("a field or method name");
    if (failed_) return;
    if (!is_volatile && at("(")) {
      c.methods.push_back(parse_method(pos, std::move(first)));
      return;
    }
    c.fields.push_back({std::move(first), is_volatile});
    while (!failed_ && accept(",")) c.fields.push_back({name("a field name"), is_volatile});
    if (!failed_) expect(";");
  }

  Method parse_method(SourcePos pos, std::string method_name) {
    Method m{pos, std::move(method_name), {}, std::make_unique<Block>(), {}};
    expect("(");
    if (!at(")")) {
      do m.parameters.push_back(name("a parameter name"));
      while (!failed_ && accept(","));
    }
    if (!failed_) expect(")");
    if (failed_ || !expect("{")) return m;
    parse_statements(*m.body);
    if (accept("return")) {
      if (!at(";")) m.result = name("a variable");
      expect(";");
    }
    expect("}");
    return m;
  }

  void parse_shared(SourcePos pos) {
    Shared s{pos, name("a variable name"), {}, {}};
    if (!failed_ && accept("=")) {
      if (accept("new_array")) {
        if (peek().kind == Token::Kind::Number) {
          s.length = tokens_[at_++].number;
          if (*s.length > kMaxArrayLength) error("array too long" + found());
        } else {
          error("expected an array length" + found());
        }
      } else if (expect("new")) {
        s.class_name = name("a class name");
      }
    }
    if (!failed_) expect(";");
    if (failed_) recover();
    program_.shared.push_back(std::move(s));
  }

  BlockPtr parse_block() {
    auto block = std::make_unique<Block>();
    if (!expect("{")) return block;
    parse_statements(*block);
    expect("}");
    return block;
  }

  void parse_statements(Block& block) {
    while (!at("}") && !at("return") && peek().kind != Token::Kind::End &&
           errors_.size() < kMaxErrors) {
      const std::size_t start = at_;
      StmtPtr s = parse_statement();
      if (failed_) {
        recover();
        if (at_ == start) ++at_;
        continue;
      }
      block.stmts.push_back(std::move(s));
    }
  }

  StmtPtr parse_statement() {
    const SourcePos pos = peek().pos;
    if (++depth_ > kMaxDepth) {
      error("statements are nested too deeply");
      --depth_;
      return nullptr;
    }
    StmtPtr s = parse_keyword_statement(pos);
    if (!s && !failed_) s = parse_simple_statement(pos);
    if (!s && !failed_) error("expected a statement" + found());
    --depth_;
    return s;
  }

  StmtPtr parse_keyword_statement(SourcePos pos) {
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
      ++at_;
      expect("(");
      std::string object = failed_ ? "" : name("a variable");
      if (!failed_) expect(")");
      return finish(Sync{sync->second, std::move(object)}, pos);
    }
    if (accept("if")) return parse_if(pos);
    if (accept("loop")) return make_stmt(Loop{parse_loop_body()}, pos);
    if (accept("while")) {
      ExprPtr condition = parse_condition();
      if (failed_) return nullptr;
      return make_stmt(While{std::move(condition), parse_loop_body()}, pos);
    }
    if (accept("for")) return parse_for(pos);
    if (accept("try")) {
      BlockPtr body = parse_block();
      if (failed_ || !expect("catch")) return nullptr;
      return make_stmt(Try{std::move(body), parse_block()}, pos);
    }
    if (at("check_read") || at("check_write")) return parse_check(pos);
    return nullptr;
  }

  template <class T>
  StmtPtr finish(T node, SourcePos pos) {
    if (!failed_) expect(";");
    return make_stmt(std::move(node), pos);
  }

  BlockPtr parse_loop_body() {
    ++loop_depth_;
    BlockPtr body = parse_block();
    --loop_depth_;
    return body;
  }

  ExprPtr parse_condition() {
    if (!expect("(")) return nullptr;
    ExprPtr e = parse_expr();
    if (!failed_) expect(")");
    return e;
  }

  StmtPtr parse_if(SourcePos pos) {
    ExprPtr condition = parse_condition();
    if (failed_) return nullptr;
    if (at("break")) {
      if (loop_depth_ == 0) error("'break' outside a loop");
      ++at_;
      return finish(Break{std::move(condition)}, pos);
    }
    BlockPtr then_block = parse_block();
    BlockPtr else_block = std::make_unique<Block>();
    if (!failed_ && accept("else")) else_block = parse_block();
    return make_stmt(If{std::move(condition), std::move(then_block), std::move(else_block)}, pos);
  }

  StmtPtr parse_for(SourcePos pos) {
    if (!expect("(")) return nullptr;
    StmtPtr init = parse_assignment();
    if (failed_ || !expect(";")) return nullptr;
    ExprPtr condition = parse_expr();
    if (failed_ || !expect(";")) return nullptr;
    StmtPtr step = parse_assignment();
    if (failed_ || !expect(")")) return nullptr;
    return make_stmt(For{std::move(init), std::move(step), std::move(condition), parse_loop_body()},
                     pos);
  }

  StmtPtr parse_assignment() {
    const SourcePos pos = peek().pos;
    std::string target = name("a variable");
    if (failed_ || !expect("=")) return nullptr;
    return make_stmt(Assign{std::move(target), parse_expr()}, pos);
  }

  StmtPtr parse_simple_statement(SourcePos pos) {
    if (!at_name()) return nullptr;
    std::string first = name("a variable");
    if (accept("<-")) return finish(Rename{std::move(first), name("a variable")}, pos);
    if (accept(".")) return parse_after_dot(std::move(first), pos);
    if (accept("[")) {
      ExprPtr index = parse_expr();
      if (failed_ || !expect("]") || !expect("=")) return nullptr;
      return finish(ArrayWrite{std::move(first), std::move(index), parse_expr()}, pos);
    }
    if (!expect("=")) return nullptr;
    return parse_right_side(std::move(first), pos);
  }

  StmtPtr parse_after_dot(std::string base, SourcePos pos) {
    std::string member = name("a field or method");
    if (failed_) return nullptr;
    if (at("(")) {
      Invoke call{{}, std::move(base), std::move(member), parse_arguments(), false};
      return finish(std::move(call), pos);
    }
    if (!expect("=")) return nullptr;
    if (member == "length") error_at(pos, "'length' cannot be assigned");
    return finish(FieldWrite{std::move(base), std::move(member), parse_expr()}, pos);
  }

  StmtPtr parse_right_side(std::string target, SourcePos pos) {
    if (accept("new")) return finish(New{std::move(target), name("a class name")}, pos);
    if (accept("new_array")) return finish(NewArray{std::move(target), parse_expr()}, pos);
    if (accept("fork")) {
      std::string base = name("a variable");
      if (failed_ || !expect(".")) return nullptr;
      std::string method = name("a method");
      if (failed_) return nullptr;
      return finish(
          Invoke{std::move(target), std::move(base), std::move(method), parse_arguments(), true},
          pos);
    }
    if (at_name() && at(".", 1) && at_name(2) && at("(", 3)) {
      std::string base = name("a variable");
      ++at_;
      std::string method = name("a method");
      return finish(
          Invoke{std::move(target), std::move(base), std::move(method), parse_arguments(), false},
          pos);
    }
    if (at_name() && at(".", 1) && at_name(2) && at(";", 3) && !at("length", 2)) {
      std::string base = name("a variable");
      ++at_;
      return finish(FieldRead{std::move(target), std::move(base), name("a field")}, pos);
    }
    if (at_name() && at("[", 1)) {
      std::string base = name("a variable");
      ++at_;
      ExprPtr index = parse_expr();
      if (failed_ || !expect("]")) return nullptr;
      return finish(ArrayRead{std::move(target), std::move(base), std::move(index)}, pos);
    }
    return finish(Assign{std::move(target), parse_expr()}, pos);
  }

  std::vector<ExprPtr> parse_arguments() {
    std::vector<ExprPtr> arguments;
    if (!expect("(")) return arguments;
    if (!at(")")) {
      do arguments.push_back(parse_expr());
      while (!failed_ && accept(","));
    }
    if (!failed_) expect(")");
    return arguments;
  }

  StmtPtr parse_check(SourcePos pos) {
    const bool is_write = at("check_write");
    ++at_;
    CheckStmt check;
    if (!expect("(")) return nullptr;
    do check.paths.push_back(parse_check_path(is_write));
    while (!failed_ && accept(","));
    if (!failed_) expect(")");
    return finish(std::move(check), pos);
  }

  CheckPath parse_check_path(bool is_write) {
    CheckPath path;
    path.is_write = is_write;
    path.base = name("a variable");
    if (failed_) return path;
    if (accept(".")) {
      do path.fields.push_back(name("a field"));
      while (!failed_ && accept("/"));
      return path;
    }
    if (!expect("[")) return path;
    path.begin = parse_expr();
    if (!failed_ && accept("..")) {
      path.end = parse_expr();
      if (!failed_ && accept(":")) {
        if (peek().kind == Token::Kind::Number && peek().number > 0) {
          path.step = tokens_[at_++].number;
        } else {
          error("expected a positive step" + found());
        }
      }
    }
    if (!failed_) expect("]");
    return path;
  }

  ExprPtr parse_expr(int min_precedence = 1) {
    if (++depth_ > kMaxDepth) {
      error("expression is nested too deeply");
      --depth_;
      return nullptr;
    }
    ExprPtr left = parse_unary();
    int chain = 0;
    while (!failed_) {
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
      ++at_;
      ExprPtr right = parse_expr(op->precedence + 1);
      if (failed_) break;
      left = make_binary(op->op, std::move(left), std::move(right));
      left->pos = pos;
    }
    --depth_;
    return left;
  }

  ExprPtr parse_unary() {
    const SourcePos pos = peek().pos;
    auto e = std::make_unique<Expr>();
    e->pos = pos;
    if (at("-") || at("!")) {
      const UnaryOp op = at("-") ? UnaryOp::Negate : UnaryOp::Not;
      ++at_;
      if (++depth_ > kMaxDepth) {
        error("expression is nested too deeply");
      } else {
        e->node = Unary{op, parse_unary()};
      }
      --depth_;
    } else if (accept("(")) {
      e = parse_expr();
      if (!failed_) expect(")");
    } else if (peek().kind == Token::Kind::Number) {
      e->node = IntLiteral{tokens_[at_++].number};
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
      at_ += 2;
    } else if (at_name()) {
      e->node = VarRef{name("a variable")};
    } else {
      error("expected an expression" + found());
    }
    return e;
  }

  // Names that must be unique or must exist.
  void check_names() {
    std::set<std::string> methods, classes, shared;
    for (const Class& c : program_.classes) {
      if (!classes.insert(c.name).second) error_at(c.pos, "class '" + c.name + "' twice");
      for (const Method& m : c.methods) {
        if (!methods.insert(m.name).second) {
          error_at(m.pos, "method '" + m.name + "' twice (method names are unique in BFJ)");
        }
      }
    }
    for (const Shared& s : program_.shared) {
      if (!shared.insert(s.name).second) error_at(s.pos, "shared name '" + s.name + "' twice");
      if (!s.class_name.empty() && !classes.contains(s.class_name)) {
        error_at(s.pos, "unknown class '" + s.class_name + "'");
      }
    }
    for (const Class& c : program_.classes) {
      for (const Method& m : c.methods) check_calls(*m.body);
    }
    for (const Thread& t : program_.threads) check_calls(*t.body);
  }

  void check_calls(const Block& block) {
    for (const StmtPtr& s : block.stmts) {
      std::visit(Overloaded{
                     [&](const Invoke& n) {
                       const Method* m = program_.find_method(n.method);
                       if (m == nullptr) {
                         error_at(s->pos, "unknown method '" + n.method + "'");
                       } else if (m->parameters.size() != n.arguments.size()) {
                         error_at(s->pos, "method '" + n.method + "' takes " +
                                              std::to_string(m->parameters.size()) + " arguments");
                       }
                     },
                     [&](const New& n) {
                       if (program_.find_class(n.class_name) == nullptr) {
                         error_at(s->pos, "unknown class '" + n.class_name + "'");
                       }
                     },
                     [&](const If& n) {
                       check_calls(*n.then_block);
                       check_calls(*n.else_block);
                     },
                     [&](const Loop& n) { check_calls(*n.body); },
                     [&](const While& n) { check_calls(*n.body); },
                     [&](const For& n) { check_calls(*n.body); },
                     [&](const Try& n) {
                       check_calls(*n.body);
                       check_calls(*n.handler);
                     },
                     [](const auto&) {},
                 },
                 s->node);
    }
  }

  static constexpr std::int64_t kMaxArrayLength = 1'000'000;

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int loop_depth_ = 0;
  bool failed_ = false;
  Program program_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

ParseResult parse(std::string_view text) {
  return Parser(text).run();
}

std::string format(const std::vector<Diagnostic>& errors, std::string_view file) {
  std::string text;
  for (const Diagnostic& d : errors) {
    text += std::string(file) + ":" + std::to_string(d.pos.line) + ":" +
            std::to_string(d.pos.column) + ": error: " + d.message + "\n";
  }
  return text;
}

}  // namespace bigfoot::bfj
