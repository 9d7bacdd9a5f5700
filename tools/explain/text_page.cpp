#include "tools/explain/text_page.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

#include "tools/explain/wording.h"

namespace bigfoot::explain {
namespace {

// One function's part of the page.
struct Totals {
  const Function* function;
  std::size_t unchecked;
};

class Page {
 public:
  Page(const Record& record, const std::vector<std::string>& lines)
      : record_(record), lines_(lines), words_(record, lines.size()) {}

  std::string make() {
    for (const Function& f : record_.functions) annotate(f);
    std::string text = heading();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const unsigned line = static_cast<unsigned>(i + 1);
      for (const std::string& note : above_[line]) text += margin("") + note + "\n";
      text += margin(std::to_string(line)) + lines_[i] + "\n";
      for (const auto& [note, times] : below_[line])
        text += margin("") + indent_below(lines_[i], note.column) + "^ " + note.text +
                (times > 1 ? " (" + std::to_string(times) + " times)" : "") + "\n";
    }
    return text + function_table() + blockers();
  }

 private:
  struct Note {
    unsigned column;
    std::string text;
    auto operator<=>(const Note&) const = default;
  };

  static std::string margin(const std::string& number) {
    char text[16];
    std::snprintf(text, sizeof text, "%6s | ", number.c_str());
    return text;
  }

  void annotate(const Function& f) {
    std::vector<std::size_t> numbers;
    for (const Check& c : f.checks) {
      numbers.push_back(++checks_);
      if (const Place* at = words_.shown(c.position))
        above_[at->line].push_back("CHECK " + std::to_string(checks_) + ": " +
                                   words_.described(f, c));
      else
        ++elsewhere_;
      if (c.barrier != "access") ++blockers_[c.reason];
    }
    std::size_t unchecked = 0;
    for (const Access& a : f.accesses) {
      unchecked += a.fate != "checked";
      if (const Place* at = words_.shown(a.position))
        ++below_[at->line][{at->column, what(a) + ": " + words_.fate(f, a, numbers)}];
      else
        ++elsewhere_;
    }
    accesses_ += f.accesses.size();
    totals_.push_back({&f, unchecked});
  }

  std::string heading() const {
    return record_.source_path().filename().string() + ": " +
           counted(accesses_, "access", "accesses") + ", " + counted(checks_, "check", "checks") +
           " (" + record_.detector + ")\n\n";
  }

  std::string function_table() const {
    std::string text = "\n  accesses  without a check  checks  function\n";
    for (const Totals& t : totals_) {
      if (t.function->accesses.empty()) continue;
      char row[64];
      std::snprintf(row, sizeof row, "%10zu  %15zu  %6zu  ", t.function->accesses.size(),
                    t.unchecked, t.function->checks.size());
      text += row + t.function->name +
              (t.function->analysed ? "" : " (not analysed: checked access by access)") + "\n";
    }
    if (elsewhere_ > 0)
      text += "  (" + counted(elsewhere_, "of these is", "of these are") +
              " in code of other files that was not inlined here)\n";
    return text;
  }

  std::string blockers() const {
    if (blockers_.empty()) return {};
    std::vector<std::pair<std::string, std::size_t>> sorted(blockers_.begin(), blockers_.end());
    // The most frequent first, then by name.
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
      return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    std::string text = "\n  checks  held back by\n";
    for (const auto& [reason, times] : sorted) {
      char row[32];
      std::snprintf(row, sizeof row, "%8zu  ", times);
      text += row + reason + "\n";
    }
    return text;
  }

  const Record& record_;
  const std::vector<std::string>& lines_;
  Wording words_;
  std::map<unsigned, std::vector<std::string>> above_;
  std::map<unsigned, std::map<Note, std::size_t>> below_;
  std::vector<Totals> totals_;
  std::map<std::string, std::size_t> blockers_;
  std::size_t checks_ = 0, accesses_ = 0, elsewhere_ = 0;
};

}  // namespace

std::string text_page(const Record& record, const std::vector<std::string>& lines) {
  return Page(record, lines).make();
}

}  // namespace bigfoot::explain
