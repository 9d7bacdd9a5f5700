// JUnit's XML as CI servers read it: a test case per race that failed, or one that passed if there
// is none.
#include "runtime/report/finding_kinds.h"
#include "runtime/report/text_report.h"
#include "tools/report/arena.h"
#include "tools/report/outputs.h"

namespace bigfoot::report {
namespace {

// For elements and attributes. XML 1.0 has no way to write most control characters.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (byte < 0x20 && c != '\n' && c != '\t')
      result += "\uFFFD";
    else
      result += c;
  }
  return result;
}

void write_case(const Entry& entry, const Setting& setting, std::ostream& out) {
  const auto frame = main_frame(*entry.report);
  const std::string file = frame.source == nullptr || frame.source->file.empty()
                               ? "unknown"
                               : setting.sources.display_name(view(frame.source->file));
  const std::string name = summary(*entry.report, setting);
  rt::TextBuffer text;
  rt::report::write_text(*entry.report, setting.options, false, text);
  out << "    <testcase classname=\"" << escaped(file) << "\" name=\"" << escaped(name) << " ["
      << fingerprint_text(*entry.report) << "]\">\n";
  out << "      <failure type=\"" << escaped(rt::report::kind_name(*entry.report))
      << "\" message=\"" << escaped(name) << "\">" << escaped(utf8(text.text()))
      << "</failure>\n    </testcase>\n";
}

}  // namespace

void write_junit(const Collection& collection, const Setting& setting, std::ostream& out) {
  const std::size_t failures = collection.visible();
  const std::size_t tests = failures == 0 ? 1 : failures;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"" << tests
      << "\" failures=\"" << failures << "\">\n  <testsuite name=\"BigFoot\" tests=\"" << tests
      << "\" failures=\"" << failures << "\" errors=\"0\" skipped=\"0\">\n";
  if (failures == 0) out << "    <testcase classname=\"BigFoot\" name=\"no races\"/>\n";
  for_each_entry(collection, setting, [&](const Entry& entry) {
    if (entry.hidden_by == nullptr) write_case(entry, setting, out);
  });
  out << "  </testsuite>\n</testsuites>\n";
}

}  // namespace bigfoot::report
