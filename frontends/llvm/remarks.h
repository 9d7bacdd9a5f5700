// What became of each access's check, as optimisation remarks: -Rpass=bigfoot for what was moved,
// merged or dropped, -Rpass-missed=bigfoot for what held the remaining checks back.
#pragma once

#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include "frontends/llvm/explain/record.h"
#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend {

// `account` is of `f`: its first accesses are f.accesses, in their order.
void emit_remarks(const explain::Function& account, const LoweredFunction& f,
                  llvm::OptimizationRemarkEmitter& remarks);

}  // namespace bigfoot::frontend
