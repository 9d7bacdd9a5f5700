// Suppressions for everything found: the narrowest one for each race, the wider ones beside it as
// comments.
#include "tools/report/advice.h"
#include "tools/report/outputs.h"

namespace bigfoot::report {

void write_suppressions(const Collection& collection, const Setting& setting, std::ostream& out) {
  const std::string until = setting.until.empty() ? "" : "[until " + setting.until + "] ";
  for_each_entry(collection, setting, [&](const Entry& entry) {
    if (entry.hidden_by != nullptr) return;
    out << "# " << summary(*entry.report, setting) << '\n';
    bool first = true;
    for (const SuppressionLine& line : suppressions_for(*entry.report)) {
      out << (first ? "" : "# or, for " + line.covers + ": ") << until << line.line << '\n';
      first = false;
    }
    out << '\n';
  });
}

}  // namespace bigfoot::report
