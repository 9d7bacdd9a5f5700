#include "tools/report/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace bigfoot::report {
namespace {

// In `line`, '^' stands before the character of the column; what is marked is returned.
std::string marked(std::string line) {
  const std::size_t caret = line.find('^');
  line.erase(caret, 1);
  const Span span = expression_at(line, caret + 1);
  return line.substr(span.begin, span.end - span.begin);
}

TEST(Expression, NamesAndMembers) {
  EXPECT_EQ(marked("  int y = ^counter + 1;"), "counter");
  EXPECT_EQ(marked("  return account.^balance;"), "account.balance");
  EXPECT_EQ(marked("  return this->^balance_ + x;"), "this->balance_");
  EXPECT_EQ(marked("  use(^values[i + 1].size, 3);"), "values[i + 1].size");
  EXPECT_EQ(marked("  a[b[^k]] = 2;"), "k");
  EXPECT_EQ(marked("  f(x)->^next"), "f(x)->next");
  EXPECT_EQ(marked("  return ^bank::total[2] + 1;"), "bank::total[2]");
  // A call is not part of what is accessed; but a function may be what accesses.
  EXPECT_EQ(marked("  ^node->next();"), "node");
  EXPECT_EQ(marked("  ^std::memset(a, 0, n)"), "std::memset");
  EXPECT_EQ(marked("  c ? a^::b : d"), ":");
}

TEST(Expression, Assignments) {
  EXPECT_EQ(marked("  { balance_ ^= balance_ + amount; }"), "balance_");
  EXPECT_EQ(marked("  grid[i][j] ^+= 4;"), "grid[i][j]");
  EXPECT_EQ(marked("  node->next.value ^<<= 1;"), "node->next.value");
  EXPECT_EQ(marked("  *p ^= 1;"), "*p");
  EXPECT_EQ(marked("  x = *p ^= 1;"), "*p");
  EXPECT_EQ(marked("  (*it)[3] ^= 1;"), "(*it)[3]");
  EXPECT_EQ(marked("  if (a ^== b)"), "=");
}

TEST(Expression, Steps) {
  EXPECT_EQ(marked("  counter^++;"), "counter++");
  EXPECT_EQ(marked("  ^++shared.hits;"), "++shared.hits");
  EXPECT_EQ(marked("  ^--*p;"), "--*p");
  EXPECT_EQ(marked("  sum = ^*p;"), "*p");
}

TEST(Expression, NothingThere) {
  EXPECT_EQ(marked("  ^"), "");
  EXPECT_EQ(expression_at("abc", 0), Span{});
  EXPECT_EQ(expression_at("abc", 9), Span{});
  EXPECT_EQ(expression_at("", 1), Span{});
  EXPECT_EQ(marked("  ^] = 3"), "]");
}

// Any text, any column: the span lies in the line.
TEST(Expression, StaysInTheLine) {
  const std::string pieces = "a[](){}.->::++=*& $\xc3\xa9";
  unsigned state = 12345;
  for (int round = 0; round < 20000; ++round) {
    std::string line;
    for (int i = 0; i < 12; ++i)
      line += pieces[(state = state * 1103515245 + 12345) / 65536 % pieces.size()];
    for (std::size_t column = 0; column < line.size() + 2; ++column) {
      const Span span = expression_at(line, column);
      ASSERT_LE(span.begin, span.end) << line << " " << column;
      ASSERT_LE(span.end, line.size()) << line << " " << column;
    }
  }
}

}  // namespace
}  // namespace bigfoot::report
