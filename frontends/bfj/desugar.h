// Rewrites a program into the statements lowering understands.
//
//   while (c) s     becomes   if (c) { loop { s; if (!c) break; } }      (as STATICBF does)
//   for (i; c; s)   becomes   i; while (c) { ...; s }
//
// and an index that is not linear is computed into a fresh variable first.
#pragma once

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

Program desugar(const Program& program);
// The program without its check statements.
Program strip_checks(const Program& program);
// !e, with comparisons turned around instead of negated.
ExprPtr negated(const Expr& e);

}  // namespace bigfoot::bfj
