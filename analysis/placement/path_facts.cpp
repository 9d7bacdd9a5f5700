#include "analysis/placement/path_facts.h"

#include <algorithm>

namespace bigfoot::placement {
namespace {

using ir::AccessKind;

bool before(const PathFact& a, const PathFact& b) {
  return a.path < b.path;
}

}  // namespace

void add_sources(Sources& to, const Sources& from) {
  if (from.empty() || from == to) return;
  Sources merged;
  std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(merged));
  to = std::move(merged);
}

Sources common_sources(const Sources& a, const Sources& b) {
  Sources common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

bool mentions(const ir::Path& path, ir::SymbolId symbol) {
  return path.base == symbol || path.range.mentions(symbol);
}

void FactSet::insert(PathFact fact) {
  const auto it = std::lower_bound(facts_.begin(), facts_.end(), fact, before);
  if (it != facts_.end() && it->path == fact.path) {
    // One fact per path: the stronger kind, with the sources of both.
    if (fact.kind == AccessKind::Write) it->kind = AccessKind::Write;
    add_sources(it->who, fact.who);
    add_sources(it->sure, fact.sure);
    it->either |= fact.either;
    return;
  }
  facts_.insert(it, std::move(fact));
}

std::span<const PathFact> FactSet::about(ir::SymbolId base, ir::Space space) const {
  const auto key = std::make_pair(base, space);
  const auto first =
      std::lower_bound(facts_.begin(), facts_.end(), key, [](const PathFact& f, const auto& k) {
        return std::make_pair(f.path.base, f.path.space) < k;
      });
  auto last = first;
  while (last != facts_.end() && std::make_pair(last->path.base, last->path.space) == key) ++last;
  return {first, last};
}

const PathFact* FactSet::find(const ir::Path& path) const {
  const auto it = std::lower_bound(facts_.begin(), facts_.end(), path,
                                   [](const PathFact& f, const ir::Path& p) { return f.path < p; });
  return it != facts_.end() && it->path == path ? &*it : nullptr;
}

bool FactSet::same_paths(const FactSet& other) const {
  return std::equal(facts_.begin(), facts_.end(), other.facts_.begin(), other.facts_.end(),
                    [](const PathFact& a, const PathFact& b) { return a.same_path(b); });
}

}  // namespace bigfoot::placement
