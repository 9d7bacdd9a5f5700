// Integer and boolean expressions, by precedence.
#pragma once

#include "frontends/bfj/token_cursor.h"

namespace bigfoot::bfj {

class ExpressionParser : protected TokenCursor {
 public:
  using TokenCursor::TokenCursor;

 protected:
  // Null or incomplete when failed().
  ExprPtr parse_expr(int min_precedence = 1);

 private:
  ExprPtr parse_unary();
};

}  // namespace bigfoot::bfj
