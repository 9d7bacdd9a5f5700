// Gives the account of a function (record.h): from its plan, or of one checked access by access.
#pragma once

#include "frontends/llvm/explain/record.h"
#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend::explain {

// A function whose plain accesses have been placed; `found` has the others, which every detector
// checks where they stand. REQUIRES: the function has not been changed yet.
Function account_of(const LoweredFunction& f, const ir::Plan& plan, const Accesses& found);

// A function in which every access is checked where it stands. `analysed`: because the detector
// wants it so, not because the analysis could not describe the function.
Function account_on_the_spot(const llvm::Function& f, const Accesses& found, bool analysed);

}  // namespace bigfoot::frontend::explain
