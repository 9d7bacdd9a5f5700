// The machinery under GoodChecks: must-facts about paths, forwards and backwards, over one
// function. Written apart from the placement's data flow on purpose, so that one mistake cannot
// hide in both.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "analysis/good_checks/knowledge.h"

namespace bigfoot::good_checks {

// One must-analysis. `step` is applied per block, in the direction of the flow.
struct Flow {
  enum class Direction : std::uint8_t { Forward, Backward } direction;
  std::function<Items(ir::BlockId, const Items&)> through_block;
  std::function<Items(ir::BlockId from, ir::BlockId to, Items)> along_edge;
  // Back edges beyond which nothing is certain (backward flows).
  std::function<bool(ir::BlockId from, ir::BlockId to)> cut;
  // Paths worth trying where control joins (forward) or parts (backward).
  std::vector<Item> goals;
  // Try goals also about objects no incoming state mentions, and start the loop heads of backward
  // flows from all goals instead of from what the first sweep brings.
  bool thorough = false;
  // Backward flows: what the past already provides at the end of a block, whatever lies ahead.
  std::function<const Items&(ir::BlockId)> already;
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
  struct Head {
    bool visited = false;
    bool moved = false;  // what is assumed here changed after the last sweep
    Items assumed;       // backward
    Items guesses;       // forward
    Items rejected;
  };
  void spread_goals();
  void solve();
  // Sweeps compute only what follows from something that has moved since the last one.
  bool stale(ir::BlockId b) const;
  void set(ir::BlockId b, Items entry, Items exit);
  bool unmoved(const ir::Loop& loop) const;
  void sweep_forward();
  void sweep_backward();
  Items join_forward(ir::BlockId b);
  Items meet_backward(ir::BlockId b, bool& everything);
  bool refine_forward();
  bool refine_backward();
  bool guess_ranges();
  void guess_earlier(const ir::Loop& loop, const Item& item, Head& head) const;

  const Knowledge& k_;
  Flow flow_;
  std::vector<Items> entry_, exit_;
  std::vector<bool> everything_;  // backward: nothing known yet lies ahead
  std::vector<bool> moved_;       // by block: what is known there changed in the last sweep
  std::map<ir::BlockId, Head> heads_;
  bool pessimistic_ = false;
  int sweeps_ = 0;
};

}  // namespace bigfoot::good_checks
