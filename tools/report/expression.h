// Which characters of a source line an access is: what the page marks.
//
// Debug information gives one column. For a plain name that is its first character, for `a.b` the
// member's, for an assignment the operator's, for `x++` the operator's or the operand's. From there
// the expression is found by looking at the text alone, which is right for what people write and
// harmless where it is not: at worst too little is marked.
#pragma once

#include <cstddef>
#include <string_view>

namespace bigfoot::report {

struct Span {
  std::size_t begin = 0;  // byte offsets in the line
  std::size_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

// `column` counts from 1. An empty span if there is nothing at it.
Span expression_at(std::string_view line, std::size_t column);

}  // namespace bigfoot::report
