#include "frontends/bfj/parser.h"

#include <gtest/gtest.h>

#include "frontends/bfj/printer.h"

namespace bigfoot::bfj {
namespace {

constexpr const char* kEverything = R"(
class Point {
  x, y; volatile ready;
  move(dx, dy) {
    t = this.x;
    this.x = t + dx * 2 - (dy - 1);
    return t;
  }
  nothing() { skip; }
}
shared a = new_array 10;
shared p = new Point;
shared lock;
thread {
  i = 0;
  loop { x = a[i]; i' <- i; i = i' + 1; if (i >= a.length && !(x == null)) break; }
  while (i > 0) { a[i - 1] = i; i = i - 1; }
  for (j = 0; j < 10; j = j + 2) { if (? || j != 3) { break; } else { skip; } }
  acq(lock); r = p.move(1, -2); p.nothing(); rel(lock);
  q = new Point; b = new_array i + 1; h = fork p.nothing(); join(h);
  acq(lock); wait(lock); notify(lock); rel(lock);
  try { throw; } catch { halt; }
  check_read(a[0..i:2], p.x/y); check_write(a[3]);
  v = p.ready; p.ready = true;
}
)";

TEST(Parser, PrintedTextParsesToTheSameProgram) {
  const ParseResult first = parse(kEverything);
  ASSERT_TRUE(first.ok()) << format(first.errors, "input");
  const std::string text = print(first.program);
  const ParseResult second = parse(text);
  ASSERT_TRUE(second.ok()) << format(second.errors, "printed") << text;
  EXPECT_EQ(text, print(second.program));
  EXPECT_EQ(first.program.threads[0].body->stmts.size(),
            second.program.threads[0].body->stmts.size());
  EXPECT_EQ(text, print(clone(first.program)));
}

TEST(Parser, KeepsPrecedenceWithTheFewestParentheses) {
  const ParseResult r = parse("thread { x = 1 - (2 - 3) * 4 - -y; z = (1 < 2) == (a || b && c); }");
  ASSERT_TRUE(r.ok());
  const auto& body = *r.program.threads[0].body;
  EXPECT_EQ(print_head(*body.stmts[0]), "x = 1 - (2 - 3) * 4 - -y;");
  EXPECT_EQ(print_head(*body.stmts[1]), "z = 1 < 2 == (a || b && c);");
}

TEST(Parser, ErrorsCarryLineAndColumnAndParsingGoesOn) {
  const ParseResult r = parse("thread {\n  x = ;\n  y = 1;\n  acq();\n  z = 2\n}\n");
  ASSERT_EQ(r.errors.size(), 3u) << format(r.errors, "f");
  EXPECT_EQ(format(r.errors, "f"),
            "f:2:7: error: expected an expression but found ';'\n"
            "f:4:7: error: expected a variable but found ')'\n"
            "f:6:1: error: expected ';' but found '}'\n");
}

TEST(Parser, UnknownAndDuplicateNamesAreErrors) {
  EXPECT_FALSE(parse("thread { x.m(); }").ok());
  EXPECT_FALSE(parse("class A { f; } class A { g; }").ok());
  EXPECT_FALSE(parse("class A { m() { skip; } m() { skip; } }").ok());
  EXPECT_FALSE(parse("class A { m(x) { skip; } } thread { a.m(); }").ok());
  EXPECT_FALSE(parse("thread { x = new Nothing; }").ok());
  EXPECT_FALSE(parse("thread { break; }").ok());
  EXPECT_FALSE(parse("shared a; shared a;").ok());
  EXPECT_FALSE(parse("thread { x = 99999999999999999999; }").ok());
  EXPECT_FALSE(parse("thread { check_read(a[0..4:0]); }").ok());
}

TEST(Parser, DeepNestingIsAnErrorNotACrash) {
  std::string statements = "thread { ";
  for (int i = 0; i < 100000; ++i) statements += "if (x) { ";
  EXPECT_FALSE(parse(statements).ok());
  EXPECT_FALSE(parse("thread { x = " + std::string(100000, '(') + "1; }").ok());
  EXPECT_FALSE(parse("thread { x = " + std::string(100000, '-') + "1; }").ok());
  std::string sum = "thread { x = 1";
  for (int i = 0; i < 100000; ++i) sum += " + 1";
  EXPECT_FALSE(parse(sum + "; }").ok());
}

TEST(Parser, ReportsAtMostTwentyErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "thread { = ; }\n";
  EXPECT_EQ(parse(text).errors.size(), kMaxErrors);
}

TEST(Parser, VeryLongProgramsParse) {
  std::string text = "thread {\n";
  for (int i = 0; i < 100000; ++i) text += "x = a.f;\n";
  const ParseResult r = parse(text + "}\n");
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r.program.threads[0].body->stmts.size(), 100000u);
}

}  // namespace
}  // namespace bigfoot::bfj
