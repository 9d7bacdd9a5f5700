#include "analysis/good_checks/runs.h"

#include <map>
#include <set>

namespace bigfoot::good_checks {

using logic::LinearExpr;
using logic::Range;

std::vector<Range> runs_of(const std::vector<Range>& ranges) {
  std::map<LinearExpr, const Range*> by_begin;
  std::set<LinearExpr> ends;
  for (const Range& r : ranges) {
    if (!r.valid() || !r.contiguous()) continue;
    by_begin.try_emplace(r.begin, &r);
    ends.insert(r.end);
  }
  std::vector<Range> runs;
  for (const auto& [begin, first] : by_begin) {
    if (ends.contains(begin)) continue;
    Range run = *first;
    // No more steps than pieces: a piece that ends where it begins would go on for ever.
    for (std::size_t pieces = 1; pieces < by_begin.size(); ++pieces) {
      const auto next = by_begin.find(run.end);
      if (next == by_begin.end()) break;
      run.end = next->second->end;
    }
    if (run.end != first->end) runs.push_back(run);
  }
  return runs;
}

}  // namespace bigfoot::good_checks
