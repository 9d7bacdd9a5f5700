// A source file as a page: beside each other a check at every access and the checks as placed, as
// in Figure 1 of the BigFoot paper.
#pragma once

#include <string>
#include <vector>

#include "tools/explain/record.h"

namespace bigfoot::explain {

// `lines`: the text of record.source_path(), without line ends.
std::string html_page(const Record& record, const std::vector<std::string>& lines);

}  // namespace bigfoot::explain
