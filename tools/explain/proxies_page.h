// The fields that share a shadow location, type by type, and what keeps others apart.
#pragma once

#include "tools/explain/record.h"

namespace bigfoot::explain {

std::string proxies_page(const Record& record);

}  // namespace bigfoot::explain
