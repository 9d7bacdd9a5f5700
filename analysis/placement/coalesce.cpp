#include "analysis/placement/coalesce.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using ir::LinearExpr;
using ir::PlacedCheck;
using ir::Range;

// Beyond this many ranges the combinations cost more than separate checks.
constexpr std::size_t kMaxRanges = 6;

std::vector<std::int64_t> candidate_steps(const std::vector<Range>& ranges) {
  std::set<std::int64_t> steps{1};
  for (const Range& r : ranges) steps.insert(r.step);
  for (const Range& a : ranges) {
    for (const Range& b : ranges) {
      const LinearExpr d = b.begin - a.begin;
      if (d.is_constant() && d.constant() > 1 && steps.size() < 8) steps.insert(d.constant());
    }
  }
  return {steps.begin(), steps.end()};
}

std::int64_t element_width(const Range& r) {
  if (!r.contiguous()) return r.width;
  return r.constant_length().value_or(1);
}

// A single range with exactly the units of `ranges`: every pair of bounds, every step.
std::optional<Range> single_range(Reasoner& reasoner, Where where,
                                  const std::vector<Range>& ranges) {
  if (ranges.size() > kMaxRanges) return std::nullopt;
  if (mutated(Mutation::CoalesceTakesHull)) return Range{ranges.front().begin, ranges.back().end};
  for (std::int64_t step : candidate_steps(ranges)) {
    std::int64_t width = 1;
    for (const Range& r : ranges) width = std::max(width, element_width(r));
    if (step == 1) width = 1;
    if (step != 1 && width >= step) continue;
    for (const Range& first : ranges) {
      for (const Range& last : ranges) {
        const Range candidate{first.begin, last.end, step, width};
        if (reasoner.same_ranges(where, {candidate}, ranges)) return candidate;
      }
    }
  }
  return std::nullopt;
}

// Blocks that touch or overlap, as one: a whole and the ranges it is made of.
struct Cluster {
  Range whole;
  std::set<Range> parts;
};

// Decided from constants alone, so that any number of fields can be joined.
std::vector<Cluster> join_blocks(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::make_pair(a.begin.terms(), a.begin.constant()) <
           std::make_pair(b.begin.terms(), b.begin.constant());
  });
  std::vector<Cluster> clusters;
  for (const Range& r : ranges) {
    Range* last = clusters.empty() ? nullptr : &clusters.back().whole;
    const bool blocks = last != nullptr && last->constant_length() && r.constant_length();
    const LinearExpr gap = blocks ? r.begin - last->end : LinearExpr::invalid();
    if (!gap.is_constant() || gap.constant() > 0 || *r.constant_length() < 0) {
      clusters.push_back({r, {r}});
      continue;
    }
    if ((r.end - last->end).constant() > 0) last->end = r.end;
    clusters.back().parts.insert(r);
  }
  return clusters;
}

// A write's check is named after a write.
ir::Covered::Standing standing(const Reasoner& reasoner, const PathFact& f, ir::AccessId a) {
  using Standing = ir::Covered::Standing;
  const bool some_of_kind = std::any_of(f.who.begin(), f.who.end(), [&](ir::AccessId other) {
    return reasoner.kind_of(other) == f.kind;
  });
  const bool of_kind = reasoner.kind_of(a) == f.kind;
  // Of a read's check that several answer for it may have been the write.
  const bool reads_as_well = f.kind == ir::AccessKind::Read && !reasoner.is_exact(f);
  if (some_of_kind && !of_kind && !reads_as_well) return Standing::Also;
  if (!reasoner.is_exact(f)) return f.either ? Standing::OneOf : Standing::Share;
  const bool sure = std::binary_search(f.sure.begin(), f.sure.end(), a);
  return sure ? Standing::Named : Standing::Also;
}

void coalesce_object(Reasoner& reasoner, Where where, PlacedCheck check,
                     std::vector<PlacedCheck>& out) {
  auto& ranges = check.check.ranges;
  std::sort(ranges.begin(), ranges.end());
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  if (check.check.space == ir::Space::Fields || ranges.size() == 1) {
    out.push_back(std::move(check));
    return;
  }
  const std::vector<Cluster> clusters = join_blocks(ranges);
  ranges.clear();
  for (const Cluster& c : clusters) ranges.push_back(c.whole);
  if (ranges.size() == 1) {
    out.push_back(std::move(check));
    return;
  }
  if (const auto single = single_range(reasoner, where, ranges)) {
    ranges = {*single};
    out.push_back(std::move(check));
    return;
  }
  // One check per cluster, each with the accesses whose part it is.
  for (const Cluster& cluster : clusters) {
    PlacedCheck part = check;
    part.check.ranges = {cluster.whole};
    std::erase_if(part.stands_for,
                  [&](const ir::Covered& c) { return !cluster.parts.contains(c.part); });
    out.push_back(std::move(part));
  }
}

}  // namespace

std::vector<PlacedCheck> coalesce(Reasoner& reasoner, Where where, const FactSet& paths) {
  // Keyed by the first base an equal one was found for: H |- d1 = d2.
  std::vector<PlacedCheck> groups;
  for (const PathFact& f : paths.facts()) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const PlacedCheck& g) {
      return g.check.kind == f.kind && g.check.space == f.path.space &&
             (g.check.base == f.path.base ||
              reasoner.proves(where,
                              ir::Atom::equal(LinearExpr(g.check.base), LinearExpr(f.path.base))));
    });
    if (group == groups.end()) {
      PlacedCheck fresh{};
      fresh.check.kind = f.kind;
      fresh.check.base = f.path.base;
      fresh.check.space = f.path.space;
      groups.push_back(std::move(fresh));
      group = groups.end() - 1;
    }
    group->check.ranges.push_back(f.path.range);
    for (ir::AccessId a : f.who) {
      group->stands_for.push_back({a, f.path.range, standing(reasoner, f, a)});
    }
  }
  std::vector<PlacedCheck> result;
  for (PlacedCheck& g : groups) coalesce_object(reasoner, where, std::move(g), result);
  return result;
}

}  // namespace bigfoot::placement
