#include "analysis/good_checks/flow.h"

#include <algorithm>

namespace bigfoot::good_checks {
namespace {

using ir::Atom;
using ir::BlockId;
using ir::LinearExpr;
using ir::Range;
using ir::SymbolId;

constexpr int kMaxSweeps = 40;
// Sweeps during which loop heads may still take in new candidates; afterwards they only lose them.
constexpr int kGrowingSweeps = 5;
constexpr std::size_t kMaxFacts = 32;
constexpr std::size_t kMaxSources = 40;

using Values = std::vector<std::pair<SymbolId, LinearExpr>>;

LinearExpr::Replacement lookup(const Values& values) {
  return [&values](SymbolId s) -> const LinearExpr* {
    for (const auto& [symbol, value] : values) {
      if (symbol == s) return &value;
    }
    return nullptr;
  };
}

Values phi_values(const ir::Function& f, BlockId from, BlockId to) {
  Values values;
  for (const ir::Phi& phi : f.block(to).phis) {
    values.emplace_back(phi.symbol, incoming_value(f, phi, to, from));
  }
  return values;
}

Values next_iteration(const ir::Loop& loop, int direction) {
  Values values;
  for (const ir::InductionVariable& iv : loop.inductions) {
    values.emplace_back(iv.phi, LinearExpr(iv.phi).plus_scaled(iv.step, direction));
  }
  return values;
}

Values first_iteration(const ir::Loop& loop) {
  Values values;
  for (const ir::InductionVariable& iv : loop.inductions) values.emplace_back(iv.phi, iv.initial);
  return values;
}

bool far_apart(const Range& a, const Range& b) {
  return a.is_constant() && b.is_constant() &&
         (a.end.constant() + a.width <= b.begin.constant() ||
          b.end.constant() + b.width <= a.begin.constant());
}

// If one iteration does `r`, the earlier ones together did this.
std::optional<Range> earlier_iterations(const ir::Loop& loop, const Range& r) {
  const Values later = next_iteration(loop, 1), first = first_iteration(loop);
  const LinearExpr shift = r.begin.substitute(lookup(later)) - r.begin;
  const LinearExpr end_shift = r.end.substitute(lookup(later)) - r.end;
  if (!shift.valid() || shift != end_shift) return std::nullopt;
  const LinearExpr start = r.begin.substitute(lookup(first));
  if (shift == r.end - r.begin && r.contiguous()) return Range{start, r.begin, 1, 1};
  const auto length = r.constant_length();
  if (!length || !shift.is_constant() || shift.constant() == 0) return std::nullopt;
  const std::int64_t d = shift.constant();
  if (d >= *length) return logic::make_range(start, r.begin, d, *length);
  if (-d == *length) return Range{r.begin + *length, start + *length, 1, 1};
  if (-d > *length) return Range{r.begin + -d, start + 1, -d, *length};
  return std::nullopt;
}

}  // namespace

// ---- Knowledge ----

Knowledge::Knowledge(const ir::Cfg& cfg, logic::Entailment& entailment)
    : cfg_(cfg), entailment_(entailment), added_(cfg.function().blocks.size()) {
  const ir::Function& f = cfg.function();
  for (BlockId b : cfg.order()) {
    const auto& preds = f.block(b).predecessors;
    if (preds.size() == 1) added_[index_of(b)] = edge_facts(f.block(preds[0]).terminator, b);
  }
  for (const ir::Loop& loop : cfg.loops()) {
    if (!loop.irreducible) added_[index_of(loop.header)] = guesses(loop);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId b : cfg.order()) {
      if (f.block(b).predecessors.size() > 1 && cfg.loop_headed_by(b) == nullptr) {
        added_[index_of(b)] = common_facts(b);
      }
    }
    for (const ir::Loop& loop : cfg.loops()) {
      auto& atoms = added_[index_of(loop.header)];
      std::vector<Atom> kept;
      for (const Atom& a : atoms) {
        const auto& preds = f.block(loop.header).predecessors;
        const bool holds = std::all_of(preds.begin(), preds.end(), [&](BlockId p) {
          return proves(before_edge(a, p, loop.header), p, loop.header);
        });
        if (holds) kept.push_back(a);
      }
      changed |= kept.size() != atoms.size();
      atoms.swap(kept);
    }
  }
}

// What one arm of a join knows beyond the point where the arms parted, and all others know too.
std::vector<Atom> Knowledge::common_facts(BlockId join) const {
  constexpr std::size_t kMaxPerArm = 10;
  const ir::Function& f = cfg_.function();
  const auto& preds = f.block(join).predecessors;
  const BlockId parted = cfg_.immediate_dominator(join);
  std::set<Atom> common;
  for (BlockId p : preds) {
    std::vector<Atom> arm = edge_facts(f.block(p).terminator, join);
    for (BlockId b = p; b != parted && arm.size() < kMaxPerArm; b = cfg_.immediate_dominator(b)) {
      arm.insert(arm.end(), added_[index_of(b)].begin(), added_[index_of(b)].end());
    }
    for (const Atom& a : arm) {
      if (a.expr.is_constant() || !cfg_.available_at_entry(a.expr, join)) continue;
      const bool everywhere = std::all_of(preds.begin(), preds.end(), [&](BlockId q) {
        return q == p || proves(before_edge(a, q, join), q, join);
      });
      if (everywhere) common.insert(a);
    }
  }
  return {common.begin(), common.end()};
}

// Candidates for loop heads, all to be verified: where induction variables started, their grid, how
// they move together, and the tests of the body as they read one iteration later.
std::vector<Atom> Knowledge::guesses(const ir::Loop& loop) const {
  std::vector<Atom> atoms;
  for (std::size_t i = 0; i < loop.inductions.size(); ++i) {
    const ir::InductionVariable& iv = loop.inductions[i];
    if (!iv.step.is_constant()) continue;
    const std::int64_t step = iv.step.constant();
    const LinearExpr x(iv.phi);
    atoms.push_back(step > 0 ? Atom::at_most(iv.initial, x) : Atom::at_most(x, iv.initial));
    if (step > 1 || step < -1) {
      atoms.push_back(Atom::congruent(x, iv.initial, step > 0 ? step : -step));
    }
    for (std::size_t k = 0; k < i && k < 3; ++k) {
      const ir::InductionVariable& other = loop.inductions[k];
      if (!other.step.is_constant()) continue;
      atoms.push_back(Atom::equal((x - iv.initial) * other.step.constant(),
                                  (LinearExpr(other.phi) - other.initial) * step));
    }
  }
  const Values earlier = next_iteration(loop, -1);
  const ir::Function& f = cfg_.function();
  for (BlockId b : loop.blocks) {
    for (BlockId s : successors(f.block(b).terminator)) {
      if (!loop.contains(s)) continue;
      for (const Atom& a : edge_facts(f.block(b).terminator, s)) {
        Atom moved = a.substitute(lookup(earlier));
        if (moved.expr != a.expr && cfg_.available_at_entry(moved.expr, loop.header)) {
          atoms.push_back(std::move(moved));
        }
      }
    }
  }
  return atoms;
}

std::vector<Atom> Knowledge::facts_at(BlockId block, std::optional<BlockId> to) const {
  std::vector<Atom> atoms;
  if (to) atoms = edge_facts(cfg_.function().block(block).terminator, *to);
  for (BlockId b = block; atoms.size() < 4 * kMaxFacts; b = cfg_.immediate_dominator(b)) {
    atoms.insert(atoms.end(), added_[index_of(b)].begin(), added_[index_of(b)].end());
    if (b == ir::kEntry) break;
  }
  return atoms;
}

namespace {

std::vector<Atom> connected(const std::vector<Atom>& atoms, std::set<SymbolId> symbols) {
  std::vector<Atom> result;
  std::vector<bool> taken(atoms.size(), false);
  for (bool grown = true; grown && result.size() < kMaxFacts;) {
    grown = false;
    for (std::size_t i = 0; i < atoms.size() && result.size() < kMaxFacts; ++i) {
      const auto& terms = atoms[i].expr.terms();
      const bool touches = terms.empty() || std::any_of(terms.begin(), terms.end(), [&](auto& t) {
                             return symbols.contains(t.symbol);
                           });
      if (taken[i] || !touches) continue;
      taken[i] = grown = true;
      result.push_back(atoms[i]);
      for (const auto& t : terms) symbols.insert(t.symbol);
    }
  }
  return result;
}

// Keeps the larger of two ranges that differ by a constant at one end, and no empty ones.
void add_source(const Range& r, std::vector<Range>& sources) {
  const auto at_least = [](const LinearExpr& a, const LinearExpr& b) {
    const LinearExpr d = a - b;
    return d.is_constant() && d.constant() >= 0;
  };
  const auto within = [&](const Range& a, const Range& b) {
    return a.step == b.step && a.width == b.width && at_least(b.end, a.end) &&
           (a.contiguous() ? at_least(a.begin, b.begin) : a.begin == b.begin);
  };
  if (at_least(r.begin, r.end)) return;
  for (const Range& s : sources) {
    if (within(r, s)) return;
  }
  std::erase_if(sources, [&](const Range& s) { return within(s, r); });
  sources.push_back(r);
}

void collect(const LinearExpr& e, std::set<SymbolId>& symbols) {
  for (const auto& t : e.terms()) symbols.insert(t.symbol);
}

}  // namespace

bool Knowledge::proves(const Atom& goal, BlockId block, std::optional<BlockId> to) const {
  std::set<SymbolId> symbols;
  collect(goal.expr, symbols);
  return entailment_.proves(connected(facts_at(block, to), symbols), goal);
}

bool Knowledge::covered(const Item& item, const std::vector<const Items*>& known, BlockId block,
                        std::optional<BlockId> to) const {
  const std::vector<Atom> facts = facts_at(block, to);
  std::vector<Range> sources;
  std::set<SymbolId> symbols;
  for (const Items* items : known) {
    for (const Item& i : *items) {
      if (i.kind < item.kind || i.path.space != item.path.space) continue;
      if (far_apart(i.path.range, item.path.range)) continue;
      if (i.path.base != item.path.base) {
        const Atom same = Atom::equal(LinearExpr(i.path.base), LinearExpr(item.path.base));
        std::set<SymbolId> bases{i.path.base, item.path.base};
        if (!entailment_.proves(connected(facts, bases), same)) continue;
      }
      if (i.path.range == item.path.range) return true;
      add_source(i.path.range, sources);
    }
  }
  if (sources.size() > kMaxSources) sources.resize(kMaxSources);
  for (const Range& r : sources) {
    collect(r.begin, symbols);
    collect(r.end, symbols);
  }
  collect(item.path.range.begin, symbols);
  collect(item.path.range.end, symbols);
  return entailment_.covers(connected(facts, symbols), item.path.range, sources) ||
         unreachable(facts);
}

// Facts that contradict each other may have nothing to do with the item asked about.
bool Knowledge::unreachable(const std::vector<Atom>& facts) const {
  const Atom falsehood{Atom::Kind::NonNegative, LinearExpr(-1), 0};
  std::set<SymbolId> done;
  for (const Atom& a : facts) {
    if (!a.expr.terms().empty() && done.contains(a.expr.terms()[0].symbol)) continue;
    std::set<SymbolId> symbols;
    collect(a.expr, symbols);
    const std::vector<Atom> together = connected(facts, symbols);
    for (const Atom& t : together) collect(t.expr, done);
    if (entailment_.proves(together, falsehood)) return true;
  }
  return false;
}

std::optional<Item> Knowledge::before_edge(const Item& item, BlockId from, BlockId to) const {
  const Values values = phi_values(cfg_.function(), from, to);
  const auto replaced = lookup(values);
  const auto computed_there = [&](SymbolId s) {
    return cfg_.function().symbol(s).scope == to && to != ir::kEntry && replaced(s) == nullptr;
  };
  std::set<SymbolId> symbols{item.path.base};
  collect(item.path.range.begin, symbols);
  collect(item.path.range.end, symbols);
  if (std::any_of(symbols.begin(), symbols.end(), computed_there)) return std::nullopt;
  Item result = item;
  const LinearExpr base = LinearExpr(item.path.base).substitute(replaced);
  result.path.range = item.path.range.substitute(replaced);
  if (!base.is_symbol() || !result.path.range.valid()) return std::nullopt;
  result.path.base = base.symbol();
  return result;
}

Atom Knowledge::before_edge(const Atom& atom, BlockId from, BlockId to) const {
  const Values values = phi_values(cfg_.function(), from, to);
  return atom.substitute(lookup(values));
}

bool Knowledge::sayable_at(const Item& item, BlockId to) const {
  return cfg_.available_at_entry(item.path.base, to) &&
         cfg_.available_at_entry(item.path.range.begin, to) &&
         cfg_.available_at_entry(item.path.range.end, to);
}

bool Knowledge::sayable_at_end(const Item& item, BlockId block) const {
  std::set<SymbolId> symbols{item.path.base};
  collect(item.path.range.begin, symbols);
  collect(item.path.range.end, symbols);
  return std::all_of(symbols.begin(), symbols.end(), [&](SymbolId s) {
    return cfg_.dominates(cfg_.function().symbol(s).scope, block);
  });
}

// Symbols of the loops this edge leaves, replaced by what the facts say they are worth there.
std::optional<Item> Knowledge::respelled(const Item& item, BlockId from, BlockId to) const {
  Values values;
  std::set<SymbolId> symbols;
  collect(item.path.range.begin, symbols);
  collect(item.path.range.end, symbols);
  for (SymbolId s : symbols) {
    const BlockId scope = cfg_.function().symbol(s).scope;
    const bool left = std::any_of(cfg_.loops().begin(), cfg_.loops().end(), [&](auto& loop) {
      return loop.contains(scope) && !loop.contains(to);
    });
    if (!left) continue;
    for (const Atom& a : connected(facts_at(from, to), {s})) {
      const std::int64_t c = a.expr.coefficient_of(s);
      const bool bound = a.kind == Atom::Kind::Zero || a.kind == Atom::Kind::NonNegative;
      if (!bound || (c != 1 && c != -1)) continue;
      const LinearExpr worth = a.expr.plus_scaled(LinearExpr(s), -c) * -c;
      const bool outside = std::none_of(worth.terms().begin(), worth.terms().end(), [&](auto& t) {
        return cfg_.function().symbol(t.symbol).scope == scope;
      });
      if (outside && proves(Atom::equal(LinearExpr(s), worth), from, to)) {
        values.emplace_back(s, worth);
        break;
      }
    }
  }
  if (values.empty()) return std::nullopt;
  Item result = item;
  result.path.range = item.path.range.substitute(lookup(values));
  return result;
}

// Neighbouring ranges also as one: after a join the parts may no longer be sayable one by one.
Items Knowledge::with_unions(Items items, BlockId block) const {
  constexpr std::size_t kMaxItems = 24;
  if (items.size() > kMaxItems) return items;
  const Items parts = items;
  for (const Item& a : parts) {
    if (a.path.space != ir::Space::Elements) continue;
    for (const Item& b : parts) {
      const Range &ra = a.path.range, &rb = b.path.range;
      if (&a == &b || a.kind != b.kind || a.path.base != b.path.base) continue;
      Item whole = a;
      if (ra.end == rb.begin && ra.contiguous() && rb.contiguous()) {
        whole.path.range.end = rb.end;
      } else if (ra.end == rb.begin && !ra.contiguous() && rb.constant_length() == ra.width) {
        whole.path.range.end = rb.begin + ra.step;
      } else if (!rb.contiguous() && rb.begin == ra.begin + rb.step &&
                 ra.constant_length() == rb.width) {
        whole.path.range = {ra.begin, rb.end, rb.step, rb.width};
      } else {
        continue;
      }
      if (covered(whole, {&parts}, block, std::nullopt)) items.insert(std::move(whole));
    }
  }
  return items;
}

// ---- Solution ----

Solution::Solution(const Knowledge& knowledge, Flow flow)
    : k_(knowledge),
      flow_(std::move(flow)),
      entry_(knowledge.cfg().function().blocks.size()),
      exit_(entry_.size()),
      everything_(entry_.size(), false) {
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

void Solution::sweep_forward() {
  for (BlockId b : k_.cfg().order()) {
    entry_[index_of(b)] = b == ir::kEntry ? flow_.at_start : join_forward(b);
    exit_[index_of(b)] = k_.with_unions(flow_.through_block(b, entry_[index_of(b)]), b);
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
    if (loop.irreducible || pessimistic_) continue;
    Head& head = heads_[loop.header];
    for (const Item& item : entry_[index_of(loop.header)]) {
      const bool holds = std::all_of(loop.latches.begin(), loop.latches.end(), [&](BlockId latch) {
        const auto before = k_.before_edge(item, latch, loop.header);
        const Items state = flow_.along_edge(latch, loop.header, exit_[index_of(latch)]);
        return before && k_.covered(*before, {&state}, latch, loop.header);
      });
      if (!holds) changed |= head.rejected.insert(item).second;
    }
  }
  return changed;
}

bool Solution::guess_ranges() {
  bool changed = false;
  for (const ir::Loop& loop : k_.cfg().loops()) {
    if (loop.irreducible || loop.inductions.empty()) continue;
    for (BlockId latch : loop.latches) {
      for (const Item& i : exit_[index_of(latch)]) {
        const auto range = earlier_iterations(loop, i.path.range);
        if (!range) continue;
        Item guess = i;
        guess.path.range = *range;
        if (k_.sayable_at(guess, loop.header)) {
          changed |= heads_[loop.header].guesses.insert(std::move(guess)).second;
        }
      }
    }
  }
  return changed;
}

void Solution::sweep_backward() {
  const auto& order = k_.cfg().order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    bool everything = false;
    exit_[index_of(*it)] = meet_backward(*it, everything);
    everything_[index_of(*it)] = everything;
    entry_[index_of(*it)] = flow_.through_block(*it, exit_[index_of(*it)]);
  }
}

Items Solution::on_edge_backward(BlockId from, BlockId to) const {
  if (flow_.cut(from, to)) return flow_.along_edge(from, to, {});
  Items there;
  if (k_.cfg().is_retreating(from, to)) {
    const ir::Loop* loop = k_.cfg().loop_headed_by(to);
    const auto head = heads_.find(to);
    if (!pessimistic_ && loop != nullptr && !loop->irreducible && head != heads_.end()) {
      there = head->second.assumed;
    }
  } else {
    there = entry_[index_of(to)];
  }
  Items here;
  for (const Item& i : there) {
    if (auto before = k_.before_edge(i, from, to)) {
      const LinearExpr length = before->path.range.end - before->path.range.begin;
      if (length.is_constant() && length.constant() <= 0) continue;  // says nothing
      if (auto other = k_.respelled(*before, from, to)) here.insert(std::move(*other));
      here.insert(std::move(*before));
    }
  }
  return flow_.along_edge(from, to, here);
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
  const Items already = flow_.already(b);
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
    Head& head = heads_[loop.header];
    const Items& now = entry_[index_of(loop.header)];
    if (!head.visited) {
      head.visited = true;
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
      return changed = true;
    });
    // What inner loops have only now let through is worth assuming too, once.
    if (sweeps_ > kGrowingSweeps) continue;
    for (const Item& i : now) {
      if (!head.rejected.contains(i)) changed |= head.assumed.insert(i).second;
    }
  }
  return changed;
}

}  // namespace bigfoot::good_checks
