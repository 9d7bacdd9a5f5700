// Tokens of BFJ text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

struct Token {
  enum class Kind : std::uint8_t { Name, Number, Punctuation, Unknown, End };
  Kind kind;
  std::string_view text;
  SourcePos pos;
  std::int64_t number = 0;  // Number only; Unknown when the literal does not fit
};

// Never fails: a character that starts no token becomes an Unknown token. The views point into
// `text`. Names may contain ' (as in i') and $ after the first character.
std::vector<Token> tokenize(std::string_view text);

}  // namespace bigfoot::bfj
