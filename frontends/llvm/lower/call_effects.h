// What a call may do to the order of threads and to the flow of control, as far as it can be told
// without the callee's body.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include "analysis/ir/program.h"

namespace bigfoot::frontend {

// Callees with a body in the module are looked through by the analysis instead (see lowering.cpp);
// everything else that is neither marked by attributes nor known by name may synchronise.
ir::Effects call_effects(const llvm::CallBase& call);

// True if the call returns, orders no threads and neither reads nor writes anything that another
// thread could touch.
bool touches_nothing_shared(const llvm::CallBase& call);

// Why a call counts as synchronisation, for remarks: the callee's name, or what it is.
std::string callee_name(const llvm::CallBase& call);

}  // namespace bigfoot::frontend
