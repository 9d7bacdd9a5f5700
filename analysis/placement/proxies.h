// Field proxies (section 4): x is a proxy for y if every check of p.y also checks p.x. The two can
// then share one shadow location.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analysis/ir/plan.h"

namespace bigfoot::placement {

struct FieldProxies {
  // Field -> its proxies, itself excluded. Fields are units of Space::Fields.
  std::map<std::int64_t, std::set<std::int64_t>> proxies_of;
  // Fields that are proxies for each other: sharing their shadow loses no address.
  std::vector<std::set<std::int64_t>> groups;
};

// Over all plans of a program. A write check of y asks for a write check of x at the same point on
// the same base; a read check of y for any check of x.
FieldProxies compute_field_proxies(const std::vector<const ir::Plan*>& plans);

}  // namespace bigfoot::placement
