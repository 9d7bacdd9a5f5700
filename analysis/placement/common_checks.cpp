#include "analysis/placement/common_checks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/placement/coalesce.h"
#include "analysis/placement/effects.h"
#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using ir::BlockId;
using ir::PlacedCheck;
using ir::Point;
using ChecksByPoint = std::map<Point, std::vector<PlacedCheck>>;

// Blocks that are looked at for one check. A switch has one for each case.
constexpr std::size_t kMostBlocks = 256;

bool same_check(const ir::Check& a, const ir::Check& b) {
  const bool kinds = a.kind == b.kind || mutated(Mutation::CommonReadForWrite);
  return kinds && a.base == b.base && a.space == b.space && a.ranges == b.ranges;
}

// For each block, its first instruction that ends a span, or that pending checks have to be made
// before. Up to there a check might as well have been made where the block was entered.
std::vector<std::size_t> first_barriers(const ir::Function& f,
                                        const std::vector<ir::Effects>& effects) {
  const auto is_barrier = [&](const ir::Instruction& i) {
    const ir::Effects e = effects_of(i, effects);
    return e.acquires || e.releases || e.may_not_return;
  };
  std::vector<std::size_t> first;
  for (const ir::Block& b : f.blocks) {
    const auto& all = b.instructions;
    const auto it = mutated(Mutation::CommonPassesReleases)
                        ? all.end()
                        : std::find_if(all.begin(), all.end(), is_barrier);
    first.push_back(static_cast<std::size_t>(it - all.begin()));
  }
  return first;
}

// A function's plan while checks are taken out of it and put into it.
struct Places {
  const ir::Cfg& cfg;
  std::vector<std::size_t> barriers;
  ChecksByPoint checks;

  const ir::Block& block(BlockId b) const { return cfg.function().block(b); }
  bool has_barrier(BlockId b) const { return barriers[index_of(b)] < block(b).instructions.size(); }
  // Calls visit(point, checks) for the places of a block ahead of its first barrier.
  template <class Visit>
  void at_start_of(BlockId b, Visit visit) const {
    const auto end = checks.upper_bound(Point::before(b, barriers[index_of(b)]));
    for (auto it = checks.lower_bound(Point::before(b, 0)); it != end; ++it) {
      visit(it->first, it->second);
    }
  }
};

// Follows the ways out of a block, each to where it makes the check. A block at which several of
// them meet counts if all that lead there are among them.
class Ways {
 public:
  Ways(const Places& places, BlockId start, const ir::Check& check)
      : places_(places), cfg_(places.cfg), start_(start), check_(check) {}

  bool all_make_it() {
    at_exit_[start_] = State::Pending;
    if (!leave(start_)) return false;
    while (!pending_.empty()) {
      const BlockId b = pending_.begin()->second;
      pending_.erase(pending_.begin());
      if (at_exit_.size() > kMostBlocks || !enter(b)) return false;
    }
    return true;
  }
  // Where they do.
  const std::vector<Point>& points() const { return points_; }

 private:
  enum class State : std::uint8_t {
    Pending,  // not checked yet
    Checked,  // in the span that the start is in
    Settled,  // checked, and behind a barrier
  };

  void look(const Point& p, const std::vector<PlacedCheck>& checks) {
    const bool found = std::any_of(checks.begin(), checks.end(), [&](const PlacedCheck& c) {
      return same_check(check_, c.check);
    });
    if (found) points_.push_back(p);
  }

  // False: a way goes on to where others come from elsewhere, or round a loop, or ends.
  bool leave(BlockId from) {
    const auto next = successors(places_.block(from).terminator);
    for (BlockId to : next) {
      const std::size_t before = points_.size();
      if (const auto it = places_.checks.find(Point::on_edge(from, to));
          it != places_.checks.end()) {
        look(it->first, it->second);
      }
      if (points_.size() > before) continue;
      if (cfg_.is_retreating(from, to) || !cfg_.dominates(start_, to)) return false;
      pending_.insert({cfg_.position(to), to});
    }
    return !next.empty();
  }

  bool enter(BlockId b) {
    const auto& from = places_.block(b).predecessors;
    const bool known = std::all_of(from.begin(), from.end(), [&](BlockId p) {
      const auto it = at_exit_.find(p);
      return it != at_exit_.end() && it->second != State::Settled;
    });
    if (!known && !mutated(Mutation::CommonIgnoresOtherWays)) return false;
    const std::size_t before = points_.size();
    places_.at_start_of(b, [&](const Point& p, const auto& checks) { look(p, checks); });
    const bool found = points_.size() > before;
    at_exit_[b] = !found                   ? State::Pending
                  : places_.has_barrier(b) ? State::Settled
                                           : State::Checked;
    return found || (!places_.has_barrier(b) && leave(b));
  }

  const Places& places_;
  const ir::Cfg& cfg_;
  BlockId start_;
  const ir::Check& check_;
  std::map<BlockId, State> at_exit_;
  std::set<std::pair<std::size_t, BlockId>> pending_;  // in the order of the graph
  std::vector<Point> points_;
};

class CommonChecks {
 public:
  CommonChecks(std::vector<PlacedCheck> checks, Reasoner& reasoner,
               const std::vector<ir::Effects>& effects, const PastAccesses& past)
      : reasoner_(reasoner),
        past_(past),
        places_{reasoner.cfg(), first_barriers(reasoner.function(), effects), {}} {
    for (PlacedCheck& c : checks) places_.checks[c.point].push_back(std::move(c));
  }

  // From the ends of the function backwards: what the ways out of an inner branch have in common is
  // one check when the outer one is looked at.
  std::vector<PlacedCheck> run() {
    const auto& order = reasoner_.cfg().order();
    for (auto b = order.rbegin(); b != order.rend(); ++b) {
      if (successors(places_.block(*b).terminator).size() < 2) continue;
      for (const PlacedCheck& c : candidates(*b)) join(*b, c);
    }
    std::vector<PlacedCheck> result;
    for (auto& [point, checks] : places_.checks) {
      for (PlacedCheck& c : checks) result.push_back(std::move(c));
    }
    return result;
  }

 private:
  // The checks that one of the ways makes; what all make is among them.
  std::vector<PlacedCheck> candidates(BlockId b) const {
    std::vector<PlacedCheck> found;
    const auto add = [&](const Point&, const std::vector<PlacedCheck>& checks) {
      found.insert(found.end(), checks.begin(), checks.end());
    };
    for (BlockId from = b;;) {
      const auto next = successors(places_.block(from).terminator);
      if (next.empty()) return found;
      const BlockId to = next.front();
      if (const auto it = places_.checks.find(Point::on_edge(from, to));
          it != places_.checks.end()) {
        add(it->first, it->second);
      }
      if (reasoner_.cfg().is_retreating(from, to) || !reasoner_.cfg().dominates(b, to))
        return found;
      places_.at_start_of(to, add);
      if (places_.has_barrier(to)) return found;
      from = to;
    }
  }

  // The check at the end of `b`, if what accessed its path by then makes the same one. It is named
  // after that; some way may access the path again.
  std::optional<PlacedCheck> at_end_of(BlockId b, const PlacedCheck& check) {
    FactSet accessed;
    for (const ir::Covered& c : check.stands_for) {
      const PathFact* f = past_.at_exit(b).find({check.check.base, check.check.space, c.part});
      if (f == nullptr || f->kind != check.check.kind) return std::nullopt;
      accessed.insert(*f);
    }
    std::vector<PlacedCheck> checks = coalesce(reasoner_, {b, std::nullopt}, accessed);
    if (checks.size() != 1 || !same_check(checks[0].check, check.check)) return std::nullopt;
    checks[0].point = Point::before(b, places_.block(b).instructions.size());
    checks[0].rule = "IF-ALL";
    return std::move(checks[0]);
  }

  void join(BlockId b, const PlacedCheck& check) {
    auto joined = at_end_of(b, check);
    if (!joined) return;
    Ways ways(places_, b, check.check);
    if (!ways.all_make_it()) return;
    for (const Point& p : ways.points()) {
      std::erase_if(places_.checks.at(p),
                    [&](const PlacedCheck& c) { return same_check(check.check, c.check); });
    }
    places_.checks[joined->point].push_back(std::move(*joined));
  }

  Reasoner& reasoner_;
  const PastAccesses& past_;
  Places places_;
};

}  // namespace

void join_common_checks(ir::Plan& plan, Reasoner& reasoner, const std::vector<ir::Effects>& effects,
                        const PastAccesses& past) {
  plan.checks = CommonChecks(std::move(plan.checks), reasoner, effects, past).run();
}

}  // namespace bigfoot::placement
