// Writes BFJ text. parse(print(p)) gives p back (positions apart).
#pragma once

#include <functional>
#include <string>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

// What to write to the right of a statement, and before the first statement of a block's owner:
// analysis contexts in `bigfoot place --contexts`.
using Annotator = std::function<std::string(const Stmt&)>;

std::string print(const Program& program, const Annotator& annotate = {});
std::string print(const Expr& expr);
std::string print(const CheckPath& path);
// One statement on one line, without its nested blocks.
std::string print_head(const Stmt& stmt);

}  // namespace bigfoot::bfj
