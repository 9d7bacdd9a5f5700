// What is known at the places of one function: boolean facts, and which paths follow from which.
// Written apart from the placement's Reasoner on purpose, so that one mistake cannot hide in both.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/ir/cfg.h"
#include "analysis/ir/plan.h"
#include "analysis/logic/entailment.h"

namespace bigfoot::good_checks {

struct Item {
  ir::AccessKind kind;
  ir::Path path;
  auto operator<=>(const Item&) const = default;
};
using Items = std::set<Item>;

// Boolean knowledge and entailment at the places of one function.
class Knowledge {
 public:
  Knowledge(const ir::Cfg& cfg, logic::Entailment& entailment);

  // Are the units of `item` among those of `known`, by the facts at the end of `block` and, if
  // given, on its edge to `to`?
  bool covered(const Item& item, const std::vector<const Items*>& known, ir::BlockId block,
               std::optional<ir::BlockId> to) const;
  bool proves(const ir::Atom& goal, ir::BlockId block, std::optional<ir::BlockId> to) const;

  // `item` of block `to` as it reads on the edge from `from`; nothing if it speaks of a value that
  // is computed in `to`.
  std::optional<Item> before_edge(const Item& item, ir::BlockId from, ir::BlockId to) const;
  // The same units without the symbols of loops the edge leaves, where their last values are known.
  std::optional<Item> respelled(const Item& item, ir::BlockId from, ir::BlockId to) const;
  // Adds the unions of neighbouring ranges.
  Items with_unions(Items items, ir::BlockId block) const;
  // All values `item` mentions exist on entry to `to`.
  bool sayable_at(const Item& item, ir::BlockId to) const;
  bool sayable_at_end(const Item& item, ir::BlockId block) const;
  const ir::Cfg& cfg() const { return cfg_; }

 private:
  using Facts = std::vector<const ir::Atom*>;
  using Place = std::pair<ir::BlockId, std::optional<ir::BlockId>>;
  // Whether the facts at a place contradict each other.
  bool unreachable(const Place& place) const;
  Facts facts_at(ir::BlockId block, std::optional<ir::BlockId> to) const;
  std::vector<ir::Atom> guesses(const ir::Loop& loop) const;
  std::vector<ir::Atom> common_facts(ir::BlockId join) const;
  ir::Atom before_edge(const ir::Atom& atom, ir::BlockId from, ir::BlockId to) const;

  const ir::Cfg& cfg_;
  logic::Entailment& entailment_;
  std::vector<std::vector<ir::Atom>> added_;   // by block: facts it adds to its dominator's
  mutable std::map<Place, bool> unreachable_;  // where it has been asked
};

}  // namespace bigfoot::good_checks
