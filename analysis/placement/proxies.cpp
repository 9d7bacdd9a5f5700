#include "analysis/placement/proxies.h"

#include <algorithm>

#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using Fields = std::set<std::int64_t>;

struct CheckedTogether {
  Fields written;
  Fields any;
};

// Conjecture everything, refute what a single check set contradicts.
void refute(const CheckedTogether& set, FieldProxies& result) {
  if (mutated(Mutation::FieldsNotCheckedTogether)) return;
  for (std::int64_t y : set.any) {
    const Fields& with = set.written.contains(y) ? set.written : set.any;
    auto& proxies = result.proxies_of[y];
    std::erase_if(proxies, [&](std::int64_t x) { return !with.contains(x); });
  }
}

}  // namespace

FieldProxies compute_field_proxies(const std::vector<const ir::Plan*>& plans) {
  std::vector<CheckedTogether> sets;
  Fields all;
  for (const ir::Plan* plan : plans) {
    std::map<std::pair<ir::Point, ir::SymbolId>, CheckedTogether> by_object;
    for (const ir::PlacedCheck& c : plan->checks) {
      if (c.check.space != ir::Space::Fields) continue;
      CheckedTogether& set = by_object[{c.point, c.check.base}];
      for (const ir::Range& r : c.check.ranges) {
        for (std::int64_t u = r.begin.constant(); u < r.end.constant(); ++u) {
          all.insert(u);
          set.any.insert(u);
          if (c.check.kind == ir::AccessKind::Write) set.written.insert(u);
        }
      }
    }
    for (auto& [object, set] : by_object) sets.push_back(std::move(set));
  }
  FieldProxies result;
  for (std::int64_t y : all) {
    result.proxies_of[y] = all;
    result.proxies_of[y].erase(y);
  }
  for (const CheckedTogether& set : sets) refute(set, result);

  Fields grouped;
  for (std::int64_t y : all) {
    if (grouped.contains(y)) continue;
    Fields group{y};
    for (std::int64_t x : result.proxies_of[y]) {
      if (result.proxies_of[x].contains(y)) group.insert(x);
    }
    grouped.insert(group.begin(), group.end());
    if (group.size() > 1) result.groups.push_back(std::move(group));
  }
  return result;
}

}  // namespace bigfoot::placement
