// Which paths are always covered along with an access: by the very checks that cover it, or by
// others in the same span.
//
// The question behind shadow proxies (RedCard, section 5): if every access to p.g has p.f as a
// covered companion, then a race on p.g is a race on p.f too. For let two accesses to p.g be
// unordered; take for each a check of p.f that covers it. Were the two checks ordered, a release
// would follow the first and an acquire precede the second; by covering no release lies between a
// check and an access it precedes, no acquire between a check and an access it follows, so the
// accesses would be ordered.
#pragma once

#include "analysis/good_checks/good_checks.h"

namespace bigfoot::good_checks {

struct Companion {
  ir::AccessId access;
  ir::AccessKind kind;
  ir::Path path;  // in values that exist at the access
  // What has to hold there besides, for the path to be the one that is meant.
  std::optional<ir::Atom> where = std::nullopt;
};

// companions[f] belongs to function f; the answer has the same shape. False: not proved.
// REQUIRES: the plans are accepted (good_checks.h).
std::vector<std::vector<bool>> covered_companions(
    const ir::Program& program, const std::vector<const ir::Plan*>& plans,
    const std::vector<std::vector<Companion>>& companions, logic::Entailment& entailment,
    const Options& options);

}  // namespace bigfoot::good_checks
