// Sets of paths with a mark: past accesses, past checks or anticipated accesses, depending on who
// holds the set.
//
// A write fact implies the read fact for the same path: a write check covers reads, a past write
// legitimises a read check, an anticipated write brings a check that covers a past read.
#pragma once

#include <span>
#include <vector>

#include "analysis/ir/program.h"
#include "analysis/logic/short_list.h"

namespace bigfoot::placement {

// Accesses, sorted. Mostly one; two plain vectors in each fact were a quarter of placement's time.
using Sources = logic::ShortList<ir::AccessId, 4>;

struct PathFact {
  ir::AccessKind kind;
  ir::Path path;
  Sources who;  // the source accesses behind it
  // Past accesses: those of them that have each touched all of the path, on every way here. A
  // report may name any of those that have the fact's kind. If none has, either it took several of
  // `who` together,
  Sources sure{};
  // or which of them it was depends on the way here.
  bool either = false;

  bool same_path(const PathFact& o) const { return kind == o.kind && path == o.path; }
  bool operator==(const PathFact&) const = default;
};

class FactSet {
 public:
  const std::vector<PathFact>& facts() const { return facts_; }
  bool empty() const { return facts_.empty(); }
  std::size_t size() const { return facts_.size(); }
  void clear() { facts_.clear(); }

  // Merges with an equal path; a write absorbs a read of the same path.
  void insert(PathFact fact);
  template <class Predicate>
  void remove_if(Predicate p) {
    std::erase_if(facts_, p);
  }
  // Facts about one base, in one space.
  std::span<const PathFact> about(ir::SymbolId base, ir::Space space) const;
  // The fact about exactly this path, if any.
  const PathFact* find(const ir::Path& path) const;
  // Do both sets have the same paths (sources apart)?
  bool same_paths(const FactSet& other) const;
  bool operator==(const FactSet&) const = default;

 private:
  std::vector<PathFact> facts_;  // sorted by (base, space, range, kind)
};

bool mentions(const ir::Path& path, ir::SymbolId symbol);
void add_sources(Sources& to, const Sources& from);
Sources common_sources(const Sources& a, const Sources& b);

}  // namespace bigfoot::placement
