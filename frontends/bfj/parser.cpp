#include "frontends/bfj/parser.h"

#include "frontends/bfj/check_names.h"
#include "frontends/bfj/statement_parser.h"

namespace bigfoot::bfj {
namespace {

constexpr std::int64_t kMaxArrayLength = 1'000'000;

// Classes, shared names and threads.
class Parser final : private StatementParser {
 public:
  using StatementParser::StatementParser;

  ParseResult run() {
    while (!at_end() && !too_many_errors()) {
      const std::size_t start = position();
      parse_item();
      if (position() == start) skip();  // recovery always makes progress
    }
    std::vector<Diagnostic> errors = take_errors();
    if (errors.empty()) errors = check_names(program_);
    return {std::move(program_), std::move(errors)};
  }

 private:
  void parse_item() {
    const SourcePos pos = peek().pos;
    if (accept("class")) return parse_class(pos);
    if (accept("shared")) return parse_shared(pos);
    if (accept("thread")) {
      program_.threads.push_back({pos, parse_block()});
      if (failed()) recover();
      return;
    }
    error("expected 'class', 'shared' or 'thread'" + found());
    recover();
    accept("}");
  }

  void parse_class(SourcePos pos) {
    Class c{pos, name("a class name"), {}, {}};
    expect("{");
    while (!failed() && !at("}") && !at_end()) {
      parse_member(c);
      if (failed()) recover();
    }
    expect("}");
    if (failed()) recover();
    program_.classes.push_back(std::move(c));
  }

  void parse_member(Class& c) {
    const SourcePos pos = peek().pos;
    const bool is_volatile = accept("volatile");
    std::string first = name("a field or method name");
    if (failed()) return;
    if (!is_volatile && at("(")) {
      c.methods.push_back(parse_method(pos, std::move(first)));
      return;
    }
    c.fields.push_back({std::move(first), is_volatile});
    while (!failed() && accept(",")) c.fields.push_back({name("a field name"), is_volatile});
    if (!failed()) expect(";");
  }

  Method parse_method(SourcePos pos, std::string method_name) {
    Method m{pos, std::move(method_name), {}, std::make_unique<Block>(), {}};
    expect("(");
    if (!at(")")) {
      do m.parameters.push_back(name("a parameter name"));
      while (!failed() && accept(","));
    }
    if (!failed()) expect(")");
    if (failed() || !expect("{")) return m;
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
    if (!failed() && accept("=")) {
      if (accept("new_array")) {
        if (peek().kind == Token::Kind::Number) {
          s.length = next().number;
          if (*s.length > kMaxArrayLength) error("array too long" + found());
        } else {
          error("expected an array length" + found());
        }
      } else if (expect("new")) {
        s.class_name = name("a class name");
      }
    }
    if (!failed()) expect(";");
    if (failed()) recover();
    program_.shared.push_back(std::move(s));
  }

  Program program_;
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
