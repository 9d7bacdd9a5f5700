// All reports of all runs, each race once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/report/resolved.h"
#include "runtime/report/suppressions.h"
#include "tools/report/record_reader.h"

namespace bigfoot::report {

// One race (or other finding) with everything that was found of it.
struct Entry {
  const rt::report::Report* report = nullptr;  // the first that came
  std::uint64_t records = 0;
  std::set<std::string> runs;  // which processes found it: "file (pid 123)"
  rt::report::Suppression* hidden_by = nullptr;
};

// What the processes counted that wrote a last record.
struct Totals {
  std::uint64_t processes = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t suppressed = 0;
  std::uint64_t dropped = 0;
};

class Collection {
 public:
  // `suppressions` may be null; its hits are counted.
  explicit Collection(rt::report::Suppressions* suppressions) : suppressions_(suppressions) {}

  void add(const rt::report::Report& report, const Place& place);
  void add_end(const Record& end);

  // In the order in which they were first found.
  const std::vector<Entry>& entries() const { return entries_; }
  const Totals& totals() const { return totals_; }
  std::uint64_t records() const { return records_; }
  // How often the programs say that a suppression ("type:pattern") hid something.
  std::uint64_t hits_in_runs(const std::string& suppression) const;
  // Entries that no suppression hides.
  std::size_t visible() const;

 private:
  rt::report::Suppressions* suppressions_;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, std::size_t> by_fingerprint_;
  Totals totals_;
  std::map<std::string, std::uint64_t> hits_in_runs_;
  std::uint64_t records_ = 0;
};

}  // namespace bigfoot::report
