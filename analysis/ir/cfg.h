// Orders, dominators and loops of a function's graph. Computed once, read by every analysis.
#pragma once

#include <span>
#include <vector>

#include "analysis/ir/program.h"

namespace bigfoot::ir {

enum class LoopId : std::uint32_t {};
constexpr std::size_t index_of(LoopId id) {
  return static_cast<std::size_t>(id);
}

// A phi that changes by the same amount on every way round its loop.
struct InductionVariable {
  SymbolId phi;
  LinearExpr initial;  // on entry
  LinearExpr step;     // loop-invariant; a constant in the common case
};

struct Loop {
  BlockId header;
  std::vector<BlockId> latches;  // sources of the back edges
  std::vector<BlockId> blocks;   // sorted, header included
  std::vector<InductionVariable> inductions;
  // Shown to be left after finitely many iterations.
  bool terminates = false;
  // Entered elsewhere than at the header. Nothing is inferred about it.
  bool irreducible = false;

  bool contains(BlockId block) const;
};

class Cfg {
 public:
  explicit Cfg(const Function& function);

  const Function& function() const { return function_; }
  // Reverse post-order: predecessors first, but for the retreating edges.
  const std::vector<BlockId>& order() const { return order_; }
  std::size_t position(BlockId b) const { return position_[index_of(b)]; }
  BlockId immediate_dominator(BlockId b) const { return idom_[index_of(b)]; }
  // Reflexive.
  bool dominates(BlockId a, BlockId b) const;
  bool is_retreating(BlockId from, BlockId to) const { return position(from) >= position(to); }

  // The value of `symbol` exists on entry to `block` (its phis count as existing).
  bool available_at_entry(SymbolId symbol, BlockId block) const;
  bool available_at_entry(const LinearExpr& e, BlockId block) const;
  bool available_at_entry(const Path& path, BlockId block) const;

  const std::vector<Loop>& loops() const { return loops_; }
  const Loop* loop_headed_by(BlockId b) const;
  // The innermost loop that all of the blocks lie in, if there is one.
  const Loop* innermost_loop(std::span<const BlockId> blocks) const;
  // `to` heads a loop that `from -> to` goes round (natural, or any retreating edge).
  bool is_back_edge(BlockId from, BlockId to) const { return is_retreating(from, to); }
  bool invariant_in(const Loop& loop, const LinearExpr& e) const;

 private:
  void compute_order();
  void compute_dominators();
  void number_dominator_tree();
  void find_loops();
  void find_inductions(Loop& loop);
  bool leaves_after_finitely_many(const Loop& loop) const;

  const Function& function_;
  std::vector<BlockId> order_;
  std::vector<std::size_t> position_;
  std::vector<BlockId> idom_;
  std::vector<std::uint32_t> tree_in_, tree_out_;  // interval numbering of the dominator tree
  std::vector<Loop> loops_;
  std::vector<std::uint32_t> loop_of_header_;  // index + 1, 0 = none
};

}  // namespace bigfoot::ir
