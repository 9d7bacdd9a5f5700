// The fields that share a shadow location, type by type, and what keeps others apart.
#pragma once

#include "tools/explain/record.h"

namespace bigfoot::explain {

// The files of one program: as its run time puts together what they say. REQUIRES: at least one.
std::string proxies_page(const std::vector<Record>& records);

}  // namespace bigfoot::explain
