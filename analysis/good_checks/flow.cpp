#include "analysis/good_checks/flow.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/good_checks/iterations.h"
#include "analysis/good_checks/runs.h"

namespace bigfoot::good_checks {
namespace {

using ir::BlockId;
using ir::LinearExpr;
using ir::SymbolId;

constexpr int kMaxSweeps = 40;
// Sweeps during which loop heads may still take in new candidates; afterwards they only lose them.
constexpr int kGrowingSweeps = 5;

// What the items did together where they touch. Writes count as reads as well.
std::vector<Item> runs_of_items(const Items& items) {
  std::map<std::tuple<ir::AccessKind, SymbolId, ir::Space>, std::vector<ir::Range>> pieces;
  for (const Item& i : items) {
    pieces[{ir::AccessKind::Read, i.path.base, i.path.space}].push_back(i.path.range);
    if (i.kind == ir::AccessKind::Read) continue;
    pieces[{i.kind, i.path.base, i.path.space}].push_back(i.path.range);
  }
  std::vector<Item> runs;
  for (const auto& [about, ranges] : pieces) {
    const auto& [kind, base, space] = about;
    for (const ir::Range& r : runs_of(ranges)) runs.push_back({kind, {base, space, r}});
  }
  return runs;
}

}  // namespace

Solution::Solution(const Knowledge& knowledge, Flow flow)
    : k_(knowledge),
      flow_(std::move(flow)),
      entry_(knowledge.cfg().function().blocks.size()),
      exit_(entry_.size()),
      everything_(entry_.size(), false),
      moved_(entry_.size(), true) {
  spread_goals();
  solve();
}

// A goal that names a phi is, before the join, a goal about what the phi becomes there.
void Solution::spread_goals() {
  constexpr std::size_t kMaxGoals = 400;
  std::set<Item> seen(flow_.goals.begin(), flow_.goals.end());
  for (std::size_t g = 0; g < flow_.goals.size() && flow_.goals.size() < kMaxGoals; ++g) {
    const Item goal = flow_.goals[g];
    std::set<SymbolId> symbols{goal.path.base};
    collect(goal.path.range.begin, symbols);
    collect(goal.path.range.end, symbols);
    for (SymbolId s : symbols) {
      const ir::Symbol& info = k_.cfg().function().symbol(s);
      if (!info.is_phi) continue;
      for (BlockId p : k_.cfg().function().block(info.scope).predecessors) {
        if (k_.cfg().is_retreating(p, info.scope)) continue;
        const auto before = k_.before_edge(goal, p, info.scope);
        if (before && seen.insert(*before).second) flow_.goals.push_back(*before);
      }
    }
  }
}

void Solution::solve() {
  const bool forward = flow_.direction == Flow::Direction::Forward;
  for (sweeps_ = 0; sweeps_ < kMaxSweeps; ++sweeps_) {
    forward ? sweep_forward() : sweep_backward();
    bool changed = forward ? refine_forward() : refine_backward();
    if (forward) changed |= guess_ranges();
    if (!changed) return;
  }
  pessimistic_ = true;
  forward ? sweep_forward() : sweep_backward();
}

bool Solution::stale(BlockId b) const {
  if (sweeps_ == 0 || pessimistic_) return true;
  const auto head_moved = [&](BlockId header) {
    const auto head = heads_.find(header);
    return head != heads_.end() && head->second.moved;
  };
  if (flow_.direction == Flow::Direction::Forward) {
    const auto& preds = k_.cfg().function().block(b).predecessors;
    return head_moved(b) || std::any_of(preds.begin(), preds.end(), [&](BlockId p) {
             return !k_.cfg().is_retreating(p, b) && moved_[index_of(p)];
           });
  }
  const auto next = successors(k_.cfg().function().block(b).terminator);
  return std::any_of(next.begin(), next.end(), [&](BlockId s) {
    return k_.cfg().is_retreating(b, s) ? head_moved(s) : moved_[index_of(s)];
  });
}

void Solution::set(BlockId b, Items entry, Items exit) {
  Items &old_entry = entry_[index_of(b)], &old_exit = exit_[index_of(b)];
  moved_[index_of(b)] = sweeps_ == 0 || entry != old_entry || exit != old_exit;
  old_entry = std::move(entry);
  old_exit = std::move(exit);
}

// Refining a loop again would find what it found before.
bool Solution::unmoved(const ir::Loop& loop) const {
  const auto head = heads_.find(loop.header);
  return head != heads_.end() && !head->second.moved && !moved_[index_of(loop.header)] &&
         std::none_of(loop.latches.begin(), loop.latches.end(),
                      [&](BlockId latch) { return moved_[index_of(latch)]; });
}

void Solution::sweep_forward() {
  for (BlockId b : k_.cfg().order()) {
    if (!stale(b)) {
      moved_[index_of(b)] = false;
      continue;
    }
    Items entry = b == ir::kEntry ? flow_.at_start : join_forward(b);
    Items exit = k_.with_unions(flow_.through_block(b, entry), b);
    set(b, std::move(entry), std::move(exit));
  }
}

Items Solution::join_forward(BlockId b) {
  const ir::Function& f = k_.cfg().function();
  const auto& preds = f.block(b).predecessors;
  std::vector<std::pair<BlockId, Items>> states;
  bool back_edges = false;
  for (BlockId p : preds) {
    if (k_.cfg().is_retreating(p, b)) {
      back_edges = true;
    } else {
      states.emplace_back(p, flow_.along_edge(p, b, exit_[index_of(p)]));
    }
  }
  if (!back_edges && states.size() == 1) {
    Items items = states[0].second;
    for (const Item& i : states[0].second) {
      if (auto other = k_.respelled(i, states[0].first, b)) items.insert(std::move(*other));
    }
    return items;
  }
  const ir::Loop* loop = k_.cfg().loop_headed_by(b);
  if (loop != nullptr && (loop->irreducible || pessimistic_)) return {};

  Items candidates;
  std::set<SymbolId> bases;
  for (const auto& [p, items] : states) {
    const Values values = phi_values(f, p, b);
    for (const Item& i : items) {
      bases.insert(i.path.base);
      if (k_.sayable_at(i, b)) candidates.insert(i);
      const auto other = k_.respelled(i, p, b);
      if (other && k_.sayable_at(*other, b)) candidates.insert(*other);
      // Under a phi's name.
      for (const auto& [phi, value] : values) {
        if (value.terms().size() != 1 || value.terms()[0].coefficient != 1) continue;
        const SymbolId old = value.terms()[0].symbol;
        const Values rename{{old, LinearExpr(phi) - value.constant()}};
        Item renamed = i;
        renamed.path.range = i.path.range.substitute(lookup(rename));
        if (i.path.base == old && value.is_symbol()) {
          renamed.path.base = phi;
          bases.insert(phi);
        }
        if (renamed != i && k_.sayable_at(renamed, b)) candidates.insert(std::move(renamed));
      }
    }
  }
  for (const Item& goal : flow_.goals) {
    const bool likely = flow_.thorough || bases.contains(goal.path.base);
    if (likely && k_.sayable_at(goal, b)) candidates.insert(goal);
  }
  if (loop != nullptr) {
    const Items& guessed = heads_[b].guesses;
    candidates.insert(guessed.begin(), guessed.end());
  }
  Items result;
  for (const Item& candidate : candidates) {
    for (ir::AccessKind kind : {ir::AccessKind::Write, ir::AccessKind::Read}) {
      const Item item{kind, candidate.path};
      if (kind > candidate.kind || (loop != nullptr && heads_[b].rejected.contains(item))) continue;
      const bool everywhere = std::all_of(states.begin(), states.end(), [&](const auto& s) {
        const auto before = k_.before_edge(item, s.first, b);
        return before && k_.covered(*before, {&s.second}, s.first, b);
      });
      if (everywhere) result.insert(item);
    }
  }
  return result;
}

bool Solution::refine_forward() {
  bool changed = false;
  for (const ir::Loop& loop : k_.cfg().loops()) {
    if (loop.irreducible || pessimistic_ || unmoved(loop)) continue;
    Head& head = heads_[loop.header];
    head.moved = false;
    std::vector<std::pair<BlockId, Items>> states;
    for (BlockId latch : loop.latches) {
      states.emplace_back(latch, flow_.along_edge(latch, loop.header, exit_[index_of(latch)]));
    }
    for (const Item& item : entry_[index_of(loop.header)]) {
      const bool holds = std::all_of(states.begin(), states.end(), [&](const auto& s) {
        const auto before = k_.before_edge(item, s.first, loop.header);
        return before && k_.covered(*before, {&s.second}, s.first, loop.header);
      });
      if (!holds) head.moved |= head.rejected.insert(item).second;
    }
    changed |= head.moved;
  }
  return changed;
}

void Solution::guess_earlier(const ir::Loop& loop, const Item& item, Head& head) const {
  const auto range = earlier_iterations(loop, item.path.range);
  if (!range) return;
  Item guess = item;
  guess.path.range = *range;
  if (k_.sayable_at(guess, loop.header)) {
    head.moved |= head.guesses.insert(std::move(guess)).second;
  }
}

bool Solution::guess_ranges() {
  bool changed = false;
  for (const ir::Loop& loop : k_.cfg().loops()) {
    if (loop.irreducible || loop.inductions.empty()) continue;
    Head& head = heads_[loop.header];
    for (BlockId latch : loop.latches) {
      if (!moved_[index_of(latch)]) continue;
      for (const Item& i : exit_[index_of(latch)]) guess_earlier(loop, i, head);
      for (const Item& i : runs_of_items(exit_[index_of(latch)])) guess_earlier(loop, i, head);
    }
    changed |= head.moved;
  }
  return changed;
}

void Solution::sweep_backward() {
  const auto& order = k_.cfg().order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const BlockId b = *it;
    if (!stale(b)) {
      moved_[index_of(b)] = false;
      continue;
    }
    bool everything = false;
    Items exit = meet_backward(b, everything);
    Items entry = flow_.through_block(b, exit);
    set(b, std::move(entry), std::move(exit));
    if (everything_[index_of(b)] != everything) {
      everything_[index_of(b)] = everything;
      moved_[index_of(b)] = true;
    }
  }
}

Items Solution::on_edge_backward(BlockId from, BlockId to) const {
  if (flow_.cut(from, to)) return flow_.along_edge(from, to, {});
  static const Items kNothing;
  const Items* there = &entry_[index_of(to)];
  if (k_.cfg().is_retreating(from, to)) {
    const ir::Loop* loop = k_.cfg().loop_headed_by(to);
    const auto head = heads_.find(to);
    const bool assumes =
        !pessimistic_ && loop != nullptr && !loop->irreducible && head != heads_.end();
    there = assumes ? &head->second.assumed : &kNothing;
  }
  Items here;
  for (const Item& i : *there) {
    if (auto before = k_.before_edge(i, from, to)) {
      const LinearExpr length = before->path.range.end - before->path.range.begin;
      if (length.is_constant() && length.constant() <= 0) continue;  // says nothing
      if (auto other = k_.respelled(*before, from, to)) here.insert(std::move(*other));
      here.insert(std::move(*before));
    }
  }
  return flow_.along_edge(from, to, std::move(here));
}

Items Solution::meet_backward(BlockId b, bool& everything) {
  const auto next = successors(k_.cfg().function().block(b).terminator);
  std::vector<std::pair<BlockId, Items>> states;
  for (BlockId s : next) {
    const bool back = k_.cfg().is_retreating(b, s);
    const bool unknown =
        back ? !heads_[s].visited && !flow_.cut(b, s) && !pessimistic_ : everything_[index_of(s)];
    if (!unknown) states.emplace_back(s, on_edge_backward(b, s));
  }
  everything = states.empty() && !next.empty();
  const Items& already = flow_.already(b);
  if (states.empty()) return already;
  for (auto& [s, items] : states) items.insert(already.begin(), already.end());
  if (next.size() == 1) return std::move(states[0].second);
  Items candidates, result;
  std::set<SymbolId> bases;
  for (const auto& [s, items] : states) {
    candidates.insert(items.begin(), items.end());
    for (const Item& i : items) bases.insert(i.path.base);
  }
  for (const Item& goal : flow_.goals) {
    if (bases.contains(goal.path.base) && k_.sayable_at_end(goal, b)) candidates.insert(goal);
  }
  for (const Item& i : candidates) {
    for (ir::AccessKind kind : {ir::AccessKind::Write, ir::AccessKind::Read}) {
      const Item item{kind, i.path};
      if (kind > i.kind || result.contains(item)) continue;
      const bool everywhere = std::all_of(states.begin(), states.end(), [&](const auto& other) {
        return k_.covered(item, {&other.second}, b, other.first);
      });
      if (everywhere) result.insert(item);
    }
  }
  return result;
}

bool Solution::refine_backward() {
  bool changed = false;
  for (const ir::Loop& loop : k_.cfg().loops()) {
    if (unmoved(loop)) continue;
    Head& head = heads_[loop.header];
    const Items& now = entry_[index_of(loop.header)];
    head.moved = false;
    if (!head.visited) {
      head.visited = head.moved = true;
      head.assumed = now;
      if (!loop.irreducible && flow_.thorough) {
        for (const Item& goal : flow_.goals) {
          if (k_.sayable_at(goal, loop.header)) head.assumed.insert(goal);
        }
      }
      changed = true;
      continue;
    }
    std::erase_if(head.assumed, [&](const Item& i) {
      if (k_.covered(i, {&now}, loop.header, std::nullopt)) return false;
      head.rejected.insert(i);
      return head.moved = true;
    });
    // What inner loops have only now let through is worth assuming too, once.
    if (sweeps_ <= kGrowingSweeps) {
      for (const Item& i : now) {
        if (!head.rejected.contains(i)) head.moved |= head.assumed.insert(i).second;
      }
    }
    changed |= head.moved;
  }
  return changed;
}

}  // namespace bigfoot::good_checks
