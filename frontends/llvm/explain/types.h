// What a module's checks say of its types, in the source's terms.
#pragma once

#include <llvm/IR/Module.h>

#include "frontends/llvm/explain/record.h"
#include "frontends/llvm/proxies.h"

namespace bigfoot::frontend::explain {

// Types of which more than one word is checked, by name. Call it before the module is changed.
std::vector<Type> types_of(const llvm::Module& module, const FieldProxies& proxies);

}  // namespace bigfoot::frontend::explain
