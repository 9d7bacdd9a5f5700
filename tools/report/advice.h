// What to do about a report: how to hide it, how to see it again.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/resolved.h"

namespace bigfoot::report {

struct SuppressionLine {
  std::string covers;  // "this race", "every race in Account::deposit"
  std::string line;    // for a suppressions file
};
// From the narrowest to the widest.
std::vector<SuppressionLine> suppressions_for(const rt::report::Report& report);

// A shell command that runs the program as it was run, with the same options and schedule seed;
// empty if that is not known.
std::string rerun_command(const rt::report::Report& report);

}  // namespace bigfoot::report
