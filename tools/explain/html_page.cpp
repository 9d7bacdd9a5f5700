#include "tools/explain/html_page.h"

#include <nlohmann/json.hpp>

#include "tools/explain/wording.h"
#include "tools/report/page_parts.h"

namespace bigfoot::explain {
using nlohmann::json;
namespace {

class Builder {
 public:
  Builder(const Record& record, const std::vector<std::string>& lines)
      : record_(record), lines_(lines), words_(record, lines.size()) {}

  json build() {
    for (const Function& f : record_.functions) add(f);
    return {{"source", record_.source},
            {"detector", record_.detector},
            {"lines", lines_},
            {"functions", functions_},
            {"accesses", accesses_},
            {"checks", checks_},
            {"elsewhere", elsewhere_},
            {"totals", {{"accesses", access_total_}, {"checks", check_total_}}}};
  }

 private:
  // Accesses and checks are numbered through the file, so that they can name each other.
  void add(const Function& f) {
    const std::size_t first_access = access_total_ + 1;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < f.checks.size(); ++i) numbers.push_back(++check_total_);
    for (std::size_t i = 0; i < f.checks.size(); ++i)
      add_check(f, f.checks[i], numbers[i], first_access);
    std::size_t unchecked = 0;
    for (const Access& a : f.accesses) {
      unchecked += a.fate != "checked" ? 1 : 0;
      add_access(f, a, numbers);
    }
    if (f.accesses.empty()) return;
    functions_.push_back({{"name", f.name},
                          {"line", f.defined ? f.defined->line : 0},
                          {"accesses", f.accesses.size()},
                          {"checks", f.checks.size()},
                          {"unchecked", unchecked}});
  }

  void add_check(const Function& f, const Check& c, std::size_t number, std::size_t first_access) {
    const Place* at = words_.shown(c.position);
    if (at == nullptr) {
      ++elsewhere_;
      return;
    }
    json covered = json::array();
    for (const Covers& k : c.covers) covered.push_back(first_access + k.access);
    checks_.push_back({{"number", number},
                       {"line", at->line},
                       {"text", words_.described(f, c)},
                       {"accesses", covered}});
  }

  void add_access(const Function& f, const Access& a, const std::vector<std::size_t>& numbers) {
    const std::size_t number = ++access_total_;
    const Place* at = words_.shown(a.position);
    if (at == nullptr) {
      ++elsewhere_;
      return;
    }
    json checks = json::array();
    for (const std::size_t i : a.checks) checks.push_back(numbers[i]);
    accesses_.push_back({{"number", number},
                         {"line", at->line},
                         {"indent", indent_below(lines_[at->line - 1], at->column)},
                         {"what", what(a)},
                         {"fate", words_.fate(f, a, numbers)},
                         {"checks", checks}});
  }

  const Record& record_;
  const std::vector<std::string>& lines_;
  Wording words_;
  json functions_ = json::array(), accesses_ = json::array(), checks_ = json::array();
  std::size_t access_total_ = 0, check_total_ = 0, elsewhere_ = 0;
};

}  // namespace

std::string html_page(const Record& record, const std::vector<std::string>& lines) {
  return report::fill_page(
      report::kExplainPage,
      report::for_script(
          Builder(record, lines).build().dump(-1, ' ', false, json::error_handler_t::replace)));
}

}  // namespace bigfoot::explain
