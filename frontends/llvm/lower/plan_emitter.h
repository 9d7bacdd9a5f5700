// A plan's checks as instructions.
#pragma once

#include "analysis/ir/plan.h"
#include "frontends/llvm/checks.h"
#include "frontends/llvm/lower/lowering.h"
#include "frontends/llvm/proxies.h"

namespace bigfoot::frontend {

// Splits the edges that carry checks and computes addresses and extents; the checks themselves are
// emitted by the caller, who may split blocks then. The function's analyses are not valid
// afterwards. `proxies`: fields that belong together are checked together; null: nobody's are.
PlacedChecks materialise(const ir::Plan& plan, LoweredFunction& f, FieldProxies* proxies);

}  // namespace bigfoot::frontend
