#include "tools/report/collection.h"

#include <algorithm>

namespace bigfoot::report {

void Collection::add(const rt::report::Report& report, const Place& place) {
  ++records_;
  const auto [index, fresh] = by_fingerprint_.try_emplace(report.fingerprint, entries_.size());
  if (fresh) {
    Entry entry{.report = &report, .records = 0, .runs = {}, .hidden_by = nullptr};
    if (suppressions_ != nullptr) entry.hidden_by = suppressions_->match(report);
    entries_.push_back(std::move(entry));
  }
  Entry& entry = entries_[index->second];
  ++entry.records;
  entry.runs.insert(place.file + " (pid " + std::to_string(report.pid) + ")");
  if (entry.hidden_by != nullptr) ++entry.hidden_by->hits;
}

void Collection::add_end(const Record& end) {
  const auto count = [&](const char* name) {
    const auto member = end.value.find(name);
    const bool known = member != end.value.end() && member->is_number_unsigned();
    return known ? member->get<std::uint64_t>() : 0;
  };
  ++totals_.processes;
  totals_.duplicates += count("duplicates");
  totals_.suppressed += count("suppressed");
  totals_.dropped += count("dropped");
  const auto suppressions = end.value.find("suppressions");
  if (suppressions == end.value.end() || !suppressions->is_array()) return;
  for (const auto& s : *suppressions)
    if (s.is_object())
      hits_in_runs_[s.value("type", "") + ":" + s.value("pattern", "")] += s.value("hits", 0u);
}

std::uint64_t Collection::hits_in_runs(const std::string& suppression) const {
  const auto found = hits_in_runs_.find(suppression);
  return found == hits_in_runs_.end() ? 0 : found->second;
}

std::size_t Collection::visible() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const Entry& e) { return e.hidden_by == nullptr; }));
}

}  // namespace bigfoot::report
