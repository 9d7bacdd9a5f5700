// What became of each access's check, as optimisation remarks: -Rpass=bigfoot for what was moved,
// merged or dropped, -Rpass-missed=bigfoot for what held the remaining checks back.
#pragma once

#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include "analysis/ir/plan.h"
#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend {

void emit_remarks(const ir::Plan& plan, const LoweredFunction& f,
                  llvm::OptimizationRemarkEmitter& remarks);

}  // namespace bigfoot::frontend
