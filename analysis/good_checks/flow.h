// The machinery under GoodChecks: must-facts about paths, forwards and backwards, over one
// function. Written apart from the placement's data flow on purpose, so that one mistake cannot
// hide in both.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
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
  bool unreachable(const std::vector<ir::Atom>& facts) const;
  std::vector<ir::Atom> facts_at(ir::BlockId block, std::optional<ir::BlockId> to) const;
  std::vector<ir::Atom> guesses(const ir::Loop& loop) const;
  std::vector<ir::Atom> common_facts(ir::BlockId join) const;
  ir::Atom before_edge(const ir::Atom& atom, ir::BlockId from, ir::BlockId to) const;

  const ir::Cfg& cfg_;
  logic::Entailment& entailment_;
  std::vector<std::vector<ir::Atom>> added_;  // by block: facts it adds to its dominator's
};

// One must-analysis. `step` is applied per block, in the direction of the flow.
struct Flow {
  enum class Direction : std::uint8_t { Forward, Backward } direction;
  std::function<Items(ir::BlockId, const Items&)> through_block;
  std::function<Items(ir::BlockId from, ir::BlockId to, const Items&)> along_edge;
  // Back edges beyond which nothing is certain (backward flows).
  std::function<bool(ir::BlockId from, ir::BlockId to)> cut;
  // Paths worth trying where control joins (forward) or parts (backward).
  std::vector<Item> goals;
  // Try goals also about objects no incoming state mentions, and start the loop heads of backward
  // flows from all goals instead of from what the first sweep brings.
  bool thorough = false;
  // Backward flows: what the past already provides at the end of a block, whatever lies ahead.
  std::function<Items(ir::BlockId)> already;
  Items at_start;  // forward flows
};

class Solution {
 public:
  Solution(const Knowledge& knowledge, Flow flow);
  const Items& at_entry(ir::BlockId b) const { return entry_[index_of(b)]; }
  const Items& at_exit(ir::BlockId b) const { return exit_[index_of(b)]; }
  // A backward flow's facts on an edge, in the names of its source.
  Items on_edge_backward(ir::BlockId from, ir::BlockId to) const;

 private:
  void spread_goals();
  void solve();
  void sweep_forward();
  void sweep_backward();
  Items join_forward(ir::BlockId b);
  Items meet_backward(ir::BlockId b, bool& everything);
  bool refine_forward();
  bool refine_backward();
  bool guess_ranges();

  const Knowledge& k_;
  Flow flow_;
  std::vector<Items> entry_, exit_;
  std::vector<bool> everything_;  // backward: nothing known yet lies ahead
  struct Head {
    bool visited = false;
    Items assumed;  // backward
    Items guesses;  // forward
    Items rejected;
  };
  std::map<ir::BlockId, Head> heads_;
  bool pessimistic_ = false;
  int sweeps_ = 0;
};

}  // namespace bigfoot::good_checks
