#include "tools/explain/text_page.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

namespace bigfoot::explain {
namespace {

std::string counted(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& p : parts) text += (text.empty() ? "" : between) + p;
  return text;
}

std::string what(const Access& a) {
  std::string text = a.operation;
  if (a.bytes) text += " of " + counted(*a.bytes, "byte", "bytes");
  if (a.form == "memory") text += " (memory function)";
  if (a.form == "masked") text += " (masked vector)";
  if (a.form == "vtable_pointer") text += " (virtual-table pointer)";
  return text;
}

// One function's part of the page.
struct Totals {
  const Function* function;
  std::size_t unchecked;
};

class Page {
 public:
  Page(const Record& record, const std::vector<std::string>& lines)
      : record_(record), lines_(lines), source_(record.source_path()) {}

  std::string make() {
    for (const Function& f : record_.functions) annotate(f);
    std::string text = heading();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const unsigned line = static_cast<unsigned>(i + 1);
      for (const std::string& note : above_[line]) text += margin("") + note + "\n";
      text += margin(std::to_string(line)) + lines_[i] + "\n";
      for (const auto& [note, times] : below_[line])
        text += margin("") + indent(note.column) + note.text +
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
  static std::string indent(unsigned column) {
    return std::string(column > 0 ? column - 1 : 0, ' ') + "^ ";
  }

  // The first frame in the file that is shown.
  const Place* shown(const Position& position) const {
    const auto it = std::find_if(position.begin(), position.end(), [&](const Place& p) {
      return record_.files[p.file] == source_ && p.line <= lines_.size();
    });
    return it == position.end() ? nullptr : &*it;
  }

  std::string name_of(const Place& p, bool with_column) const {
    const std::string at =
        std::to_string(p.line) +
        (with_column && p.column != 0 ? ":" + std::to_string(p.column) : std::string());
    if (record_.files[p.file] == source_) return at;
    return record_.files[p.file].filename().string() + ":" + at;
  }
  std::string name_of(const Position& position) const {
    if (position.empty()) return "an unknown place";
    const Place* p = shown(position);
    return name_of(p == nullptr ? position.front() : *p, true);
  }

  void annotate(const Function& f) {
    std::vector<std::size_t> numbers;
    for (const Check& c : f.checks) {
      numbers.push_back(++checks_);
      if (const Place* at = shown(c.position))
        above_[at->line].push_back("CHECK " + std::to_string(checks_) + ": " + described(f, c));
      else
        ++elsewhere_;
      if (c.barrier != "access") ++blockers_[c.reason];
    }
    std::size_t unchecked = 0;
    for (const Access& a : f.accesses) {
      unchecked += a.fate != "checked";
      if (const Place* at = shown(a.position))
        ++below_[at->line][{at->column, what(a) + ": " + fate(f, a, numbers)}];
      else
        ++elsewhere_;
    }
    accesses_ += f.accesses.size();
    totals_.push_back({&f, unchecked});
  }

  std::string described(const Function& f, const Check& c) const {
    std::string text = c.operation;
    if (!c.paths.empty()) text += " " + joined(c.paths, ", ");
    std::vector<std::string> places;
    for (const Covers& k : c.covers) {
      const std::string place = name_of(f.accesses[k.access].position);
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    if (!places.empty()) text += ", for " + joined(places, " ");
    if (c.barrier == "access") return text;
    return text +
           (c.placed == "edge" ? "; on the way here, not later because of "
                               : "; not later because ") +
           c.reason;
  }

  std::string fate(const Function& f, const Access& a,
                   const std::vector<std::size_t>& numbers) const {
    if (a.fate == "covered_before") return "no check, an earlier one covers it";
    if (a.fate == "required_by_caller") return "no check, every caller has checked it";
    if (a.fate == "anticipated") {
      if (a.relies_on.empty()) return "no check, a later access brings it";
      return "no check, the access at " + name_of(f.accesses[a.relies_on.front()].position) +
             " brings it";
    }
    std::vector<std::string> parts;
    for (std::size_t i : a.checks)
      parts.push_back(std::to_string(numbers[i]) + how(f.checks[i], a, f));
    return (parts.size() > 1 ? "checks " : "check ") + joined(parts, " and ");
  }

  std::string how(const Check& c, const Access& a, const Function& f) const {
    const auto k = std::find_if(c.covers.begin(), c.covers.end(), [&](const Covers& covers) {
      return &f.accesses[covers.access] == &a;
    });
    if (k == c.covers.end() || (k->moved == "in_place" && k->left_loops.empty())) return "";
    const std::string when = k->moved == "in_place" ? "" : ", " + k->moved;
    if (k->left_loops.empty()) return when;
    return when + ", once for the loop at line " + name_of(k->left_loops.back(), false);
  }

  std::string heading() const {
    return source_.filename().string() + ": " + counted(accesses_, "access", "accesses") + ", " +
           counted(checks_, "check", "checks") + " (" + record_.detector + ")\n\n";
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
  std::filesystem::path source_;
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
