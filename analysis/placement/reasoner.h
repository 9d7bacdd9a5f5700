// The bridge between the passes and the entailment interface: which facts hold where, which paths
// are about the same object, how a fact is spelled on the other side of an edge.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "analysis/ir/cfg.h"
#include "analysis/logic/entailment.h"
#include "analysis/placement/options.h"
#include "analysis/placement/path_facts.h"

namespace bigfoot::placement {

// Boolean facts per block. A fact over SSA symbols that holds where a block is entered holds in
// every block it dominates, so each block stores only what it adds to its immediate dominator.
class BooleanFacts {
 public:
  explicit BooleanFacts(const ir::Cfg& cfg);
  // Blocks are set in the order of the graph, dominators first.
  void set_own(ir::BlockId b, std::vector<ir::Atom> atoms);
  const std::vector<ir::Atom>& own(ir::BlockId b) const { return own_[index_of(b)]; }
  // A fact that holds here is "false": control never comes here.
  bool unreachable(ir::BlockId b) const { return unreachable_[index_of(b)]; }
  // Nearest first, at most `limit`.
  std::vector<const ir::Atom*> visible_from(ir::BlockId b, std::size_t limit) const;

 private:
  const ir::Cfg& cfg_;
  std::vector<std::vector<ir::Atom>> own_;
  std::vector<bool> unreachable_;
  std::vector<std::optional<ir::BlockId>> next_;  // nearest strict dominator with own facts, so
                                                  // that blocks that add nothing cost nothing
};

// A point for reasoning: the end of `block` (equivalently, anywhere in it), or the edge to `to`.
struct Where {
  ir::BlockId block;
  std::optional<ir::BlockId> to;
};

class Reasoner {
 public:
  Reasoner(const ir::Cfg& cfg, logic::Entailment& entailment)
      : cfg_(cfg), entailment_(entailment), booleans_(cfg) {
    find_equated_symbols();
    find_kinds();
  }

  const ir::Cfg& cfg() const { return cfg_; }
  const ir::Function& function() const { return cfg_.function(); }
  BooleanFacts& booleans() { return booleans_; }

  bool proves(Where where, const ir::Atom& goal);
  // H |- p or H . A |- p: do the facts in `set` of at least `kind` cover `path`?
  bool entails(Where where, const FactSet& set, ir::AccessKind kind, const ir::Path& path);
  bool entails(Where where, const FactSet& set, const PathFact& fact) {
    return entails(where, set, fact.kind, fact.path);
  }
  bool same_ranges(Where where, const std::vector<ir::Range>& a, const std::vector<ir::Range>& b);
  bool covers(Where where, const ir::Range& target, const std::vector<ir::Range>& sources);

  // The fact of block `to`, as it reads at the end of `from` (phis replaced by what they become).
  // Nothing when it speaks of a value that only comes to exist in `to`.
  std::optional<ir::Path> before_edge(const ir::Path& path, ir::BlockId from, ir::BlockId to) const;
  ir::Atom before_edge(const ir::Atom& atom, ir::BlockId from, ir::BlockId to) const;
  // Spellings of a path at the end of `from` that make sense on entry to `to`.
  std::vector<ir::Path> after_edge(const ir::Path& path, ir::BlockId from, ir::BlockId to);
  bool leaves_loop(ir::BlockId from, ir::BlockId to) const;
  // The path, with what counts the rounds of loops that the edge leaves replaced by how many there
  // were, as far as that is known: a range that all rounds of an outer loop spell alike.
  ir::Path outside_loops(const ir::Path& path, ir::BlockId from, ir::BlockId to);
  // Every symbol of `path` exists on entry to `to` and still means the same there.
  bool survives_edge(const ir::LinearExpr& e, ir::BlockId to) const;

  // Replaces adjoining ranges by their union, so that a[lo..i], a[i] can cross an edge as
  // a[lo..i+1].
  enum class Adjoining : std::uint8_t {
    All,
    // A range that the loop around leaves where it is needs no common name to cross an edge: it
    // stays apart from what other accesses did beside it, and both are remembered with their own
    // source.
    SameSourceOrMoving,
  };
  void merge_adjoining(FactSet& set, Where where, Adjoining which = Adjoining::All);

  ir::AccessKind kind_of(ir::AccessId access) const { return kinds_[index_of(access)]; }
  // Some access of the fact's kind has surely touched all of its path.
  bool is_exact(const PathFact& fact) const;

 private:
  bool unreachable(Where where) const;
  bool moves_at(ir::BlockId block, const ir::Range& range) const;
  std::vector<ir::Atom> relevant_facts(Where where, std::vector<ir::SymbolId> symbols) const;
  std::optional<ir::LinearExpr> phi_spelling(ir::SymbolId symbol, ir::BlockId from, ir::BlockId to,
                                             std::size_t choice) const;
  template <class Usable>
  std::optional<ir::LinearExpr> equal_spelling(ir::SymbolId symbol, ir::BlockId from,
                                               ir::BlockId to, Usable usable);
  bool counts_rounds_left(ir::SymbolId symbol, ir::BlockId from, ir::BlockId to) const;
  std::vector<ir::SymbolId> bases_equal_to(Where where, ir::SymbolId base);
  void find_equated_symbols();
  void find_kinds();

  const ir::Cfg& cfg_;
  logic::Entailment& entailment_;
  BooleanFacts booleans_;
  // Symbols some condition of the function equates with another; few, so that most lookups of equal
  // bases end here.
  std::set<ir::SymbolId> equated_;
  std::vector<ir::AccessKind> kinds_;  // by access
};

}  // namespace bigfoot::placement
