// Text in the shape of the run time's own reports, which is ThreadSanitizer's, and JSON lines in
// its own format: one record per race, symbolised.
#include "runtime/report/json_report.h"
#include "runtime/report/text_report.h"
#include "tools/report/arena.h"
#include "tools/report/outputs.h"

namespace bigfoot::report {
namespace {

std::string plural(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

void write_text(const Collection& collection, const Setting& setting, std::ostream& out) {
  for_each_entry(collection, setting, [&](const Entry& entry) {
    if (entry.hidden_by != nullptr) return;
    rt::TextBuffer text;
    rt::report::write_text(*entry.report, setting.options, setting.color, text);
    out << view(text.text());
    if (entry.records > 1)
      out << "  Found " << plural(entry.records, "time", "times") << " by "
          << plural(entry.runs.size(), "process", "processes") << ".\n\n";
  });
  const std::size_t hidden = collection.entries().size() - collection.visible();
  out << "BigFoot: " << plural(collection.visible(), "report", "reports") << " ("
      << plural(collection.records(), "record", "records") << " read, " << hidden
      << " hidden by suppressions)\n";
  if (collection.totals().dropped != 0)
    out << "BigFoot: " << collection.totals().dropped
        << " more were found and not written by the programs (see max_reports)\n";
}

void write_json_lines(const Collection& collection, const Setting& setting, std::ostream& out) {
  for_each_entry(collection, setting, [&](const Entry& entry) {
    if (entry.hidden_by != nullptr) return;
    rt::TextBuffer json;
    rt::report::write_json(*entry.report, setting.options, json);
    out << view(json.text());
  });
}

}  // namespace bigfoot::report
