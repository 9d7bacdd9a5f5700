// The ways to write a collection. Each is one file; the table is in report_command.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

#include "runtime/options/options.h"
#include "tools/report/collection.h"
#include "tools/report/source_files.h"

namespace bigfoot::report {

// What the writers need to know besides the reports.
struct Setting {
  rt::Options options;  // strip_path_prefix and the like, as the run time reads them
  SourceFiles& sources;
  bool color = false;
  std::string until;  // expiry date of generated suppressions; empty: none
  // Told before each report that is written, for who waits: its number, and how many there are.
  std::function<void(std::size_t, std::size_t)> before_entry = nullptr;
};

template <class F>
void for_each_entry(const Collection& collection, const Setting& setting, F visit) {
  std::size_t number = 0;
  for (const Entry& entry : collection.entries()) {
    if (setting.before_entry) setting.before_entry(++number, collection.entries().size());
    visit(entry);
  }
}

void write_text(const Collection& collection, const Setting& setting, std::ostream& out);
void write_json_lines(const Collection& collection, const Setting& setting, std::ostream& out);
void write_sarif(const Collection& collection, const Setting& setting, std::ostream& out);
void write_junit(const Collection& collection, const Setting& setting, std::ostream& out);
void write_suppressions(const Collection& collection, const Setting& setting, std::ostream& out);
void write_html(const Collection& collection, const Setting& setting, std::ostream& out);

// --- what several of them say ---

// "data race bank.cpp:12:40 in Account::deposit(long)"
std::string summary(const rt::report::Report& report, const Setting& setting);
// The frame a report is about: of the current access, of a finding, or of a leaked thread.
rt::report::FrameRef main_frame(const rt::report::Report& report);
// "write of size 8 by thread T2"
std::string describe(const rt::report::ReportAccess& access);
std::string thread_name(rt::ThreadId id);
// "Account::balance": the member that the accesses are of, both if they differ; empty if not known.
std::string field_of(const rt::report::Report& report);
std::string fingerprint_text(const rt::report::Report& report);
// Valid UTF-8: bytes that are none become U+FFFD.
std::string utf8(rt::Text text);

}  // namespace bigfoot::report
