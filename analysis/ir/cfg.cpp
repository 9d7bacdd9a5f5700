#include "analysis/ir/cfg.h"

#include <algorithm>

namespace bigfoot::ir {

bool Loop::contains(BlockId block) const {
  return std::binary_search(blocks.begin(), blocks.end(), block);
}

Cfg::Cfg(const Function& function) : function_(function) {
  compute_order();
  compute_dominators();
  number_dominator_tree();
  find_loops();
}

void Cfg::compute_order() {
  const std::size_t n = function_.blocks.size();
  std::vector<std::uint8_t> seen(n, 0);
  struct Frame {
    BlockId block;
    std::vector<BlockId> next;
    std::size_t i;
  };
  std::vector<Frame> stack;
  std::vector<BlockId> post;
  const auto enter = [&](BlockId b) {
    seen[index_of(b)] = 1;
    auto next = successors(function_.block(b).terminator);
    // Reversed so that the order lists the then side first.
    std::reverse(next.begin(), next.end());
    stack.push_back({b, std::move(next), 0});
  };
  enter(kEntry);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.i == top.next.size()) {
      post.push_back(top.block);
      stack.pop_back();
      continue;
    }
    const BlockId s = top.next[top.i++];
    if (!seen[index_of(s)]) enter(s);
  }
  order_.assign(post.rbegin(), post.rend());
  position_.resize(n);
  for (std::size_t i = 0; i < order_.size(); ++i) position_[index_of(order_[i])] = i;
}

// Cooper, Harvey and Kennedy's iteration: a few sweeps over the order on real graphs.
void Cfg::compute_dominators() {
  const BlockId none{UINT32_MAX};
  idom_.assign(function_.blocks.size(), none);
  idom_[0] = kEntry;
  const auto meet = [&](BlockId a, BlockId b) {
    while (a != b) {
      while (position(a) > position(b)) a = idom_[index_of(a)];
      while (position(b) > position(a)) b = idom_[index_of(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId b : order_) {
      if (b == kEntry) continue;
      BlockId idom = none;
      for (BlockId p : function_.block(b).predecessors) {
        if (idom_[index_of(p)] == none) continue;
        idom = idom == none ? p : meet(p, idom);
      }
      if (idom != idom_[index_of(b)]) {
        idom_[index_of(b)] = idom;
        changed = true;
      }
    }
  }
}

void Cfg::number_dominator_tree() {
  const std::size_t n = function_.blocks.size();
  std::vector<std::vector<BlockId>> children(n);
  for (BlockId b : order_) {
    if (b != kEntry) children[index_of(idom_[index_of(b)])].push_back(b);
  }
  tree_in_.assign(n, 0);
  tree_out_.assign(n, 0);
  std::uint32_t clock = 0;
  std::vector<std::pair<BlockId, std::size_t>> stack{{kEntry, 0}};
  tree_in_[0] = clock++;
  while (!stack.empty()) {
    auto& [b, i] = stack.back();
    if (i < children[index_of(b)].size()) {
      const BlockId child = children[index_of(b)][i++];
      tree_in_[index_of(child)] = clock++;
      stack.push_back({child, 0});
    } else {
      tree_out_[index_of(b)] = clock++;
      stack.pop_back();
    }
  }
}

bool Cfg::dominates(BlockId a, BlockId b) const {
  return tree_in_[index_of(a)] <= tree_in_[index_of(b)] &&
         tree_out_[index_of(b)] <= tree_out_[index_of(a)];
}

bool Cfg::available_at_entry(SymbolId symbol, BlockId block) const {
  const Symbol& s = function_.symbol(symbol);
  if (s.scope == block) return s.is_phi || block == kEntry;
  return dominates(s.scope, block);
}

bool Cfg::available_at_entry(const LinearExpr& e, BlockId block) const {
  if (!e.valid()) return false;
  return std::all_of(e.terms().begin(), e.terms().end(),
                     [&](const logic::Term& t) { return available_at_entry(t.symbol, block); });
}

bool Cfg::available_at_entry(const Path& path, BlockId block) const {
  return available_at_entry(path.base, block) && available_at_entry(path.range.begin, block) &&
         available_at_entry(path.range.end, block);
}

const Loop* Cfg::loop_headed_by(BlockId b) const {
  const std::uint32_t i = loop_of_header_[index_of(b)];
  return i == 0 ? nullptr : &loops_[i - 1];
}

const Loop* Cfg::innermost_loop(std::span<const BlockId> blocks) const {
  const Loop* innermost = nullptr;
  for (const Loop& loop : loops_) {
    const bool around =
        std::all_of(blocks.begin(), blocks.end(), [&](BlockId b) { return loop.contains(b); });
    if (!around) continue;
    if (innermost == nullptr || loop.blocks.size() < innermost->blocks.size()) innermost = &loop;
  }
  return innermost;
}

bool Cfg::invariant_in(const Loop& loop, const LinearExpr& e) const {
  if (!e.valid()) return false;
  return std::none_of(e.terms().begin(), e.terms().end(), [&](const logic::Term& t) {
    return loop.contains(function_.symbol(t.symbol).scope);
  });
}

void Cfg::find_loops() {
  loop_of_header_.assign(function_.blocks.size(), 0);
  for (BlockId header : order_) {
    Loop loop;
    loop.header = header;
    for (BlockId p : function_.block(header).predecessors) {
      if (!is_retreating(p, header)) continue;
      loop.latches.push_back(p);
      loop.irreducible |= !dominates(header, p);
    }
    if (loop.latches.empty()) continue;
    std::vector<bool> in(function_.blocks.size(), false);
    std::vector<BlockId> work = loop.latches;
    in[index_of(header)] = true;
    loop.blocks.push_back(header);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (in[index_of(b)]) continue;
      in[index_of(b)] = true;
      loop.blocks.push_back(b);
      for (BlockId p : function_.block(b).predecessors) work.push_back(p);
    }
    std::sort(loop.blocks.begin(), loop.blocks.end());
    if (!loop.irreducible) find_inductions(loop);
    loop.terminates = !loop.irreducible && leaves_after_finitely_many(loop);
    for (const LoopHint& hint : function_.loop_hints) {
      if (hint.header != header) continue;
      loop.terminates = (loop.terminates || hint.terminates) && !hint.watched;
    }
    loops_.push_back(std::move(loop));
    loop_of_header_[index_of(header)] = static_cast<std::uint32_t>(loops_.size());
  }
}

void Cfg::find_inductions(Loop& loop) {
  const Block& header = function_.block(loop.header);
  for (const Phi& phi : header.phis) {
    std::optional<LinearExpr> initial, step;
    bool regular = true;
    for (std::size_t i = 0; i < header.predecessors.size(); ++i) {
      const LinearExpr& value = phi.incoming[i];
      const bool back = is_retreating(header.predecessors[i], loop.header);
      const LinearExpr seen = back ? value - LinearExpr(phi.symbol) : value;
      auto& known = back ? step : initial;
      regular &= seen.valid() && (!known || *known == seen) &&
                 (!back || (!seen.mentions(phi.symbol) && invariant_in(loop, seen)));
      known = seen;
    }
    const bool moves = step && !(step->is_constant() && step->constant() == 0);
    if (regular && initial && moves) loop.inductions.push_back({phi.symbol, *initial, *step});
  }
}

// Some test is made on every iteration, and staying in the loop needs e >= 0 for an e that shrinks
// by a constant each time round.
bool Cfg::leaves_after_finitely_many(const Loop& loop) const {
  for (BlockId b : loop.blocks) {
    const Terminator& terminator = function_.block(b).terminator;
    const bool every_time = std::all_of(loop.latches.begin(), loop.latches.end(),
                                        [&](BlockId latch) { return dominates(b, latch); });
    if (!every_time || !std::holds_alternative<Branch>(terminator)) continue;
    std::vector<BlockId> inside;
    for (BlockId s : successors(terminator)) {
      if (loop.contains(s)) inside.push_back(s);
    }
    if (inside.size() != 1) continue;
    for (const Atom& stay : edge_facts(terminator, inside[0])) {
      if (stay.kind != Atom::Kind::NonNegative) continue;
      for (const InductionVariable& iv : loop.inductions) {
        const std::int64_t c = stay.expr.coefficient_of(iv.phi);
        if (c == 0 || !iv.step.is_constant()) continue;
        const bool shrinks = (c > 0) != (iv.step.constant() > 0);
        if (shrinks && invariant_in(loop, stay.expr.plus_scaled(LinearExpr(iv.phi), -c))) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace bigfoot::ir
