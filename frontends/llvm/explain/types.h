// What a module's checks say of its types, in the source's terms.
#pragma once

#include <llvm/IR/Module.h>

#include "frontends/llvm/explain/record.h"
#include "frontends/llvm/proxies.h"

namespace bigfoot::frontend::explain {

// The types of which anything is checked, by name. Where debug information tells, also what
// accesses that know of no type do to them. Call it before the module is changed.
std::vector<Type> types_of(llvm::Module& module, const FieldProxies& proxies,
                           const std::vector<LoweredFunction>& functions);

}  // namespace bigfoot::frontend::explain
