#include "analysis/good_checks/knowledge.h"

#include <algorithm>

#include "analysis/good_checks/iterations.h"
#include "analysis/good_checks/runs.h"

namespace bigfoot::good_checks {

using ir::Atom;
using ir::BlockId;
using ir::LinearExpr;
using ir::Range;
using ir::SymbolId;

namespace {

constexpr std::size_t kMaxFacts = 32;
constexpr std::size_t kMaxSources = 40;

}  // namespace

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
// they move together, the tests of the body as they read one iteration later, and what was known on
// the way in.
std::vector<Atom> Knowledge::guesses(const ir::Loop& loop) const {
  std::vector<Atom> atoms;
  for (std::size_t i = 0; i < loop.inductions.size(); ++i) {
    const ir::InductionVariable& iv = loop.inductions[i];
    const LinearExpr x(iv.phi);
    if (!iv.step.is_constant()) {
      atoms.push_back(Atom::at_most(iv.initial, x));
      continue;
    }
    const std::int64_t step = iv.step.constant();
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
  for (BlockId p : f.block(loop.header).predecessors) {
    if (loop.contains(p)) continue;
    for (const Atom& a : edge_facts(f.block(p).terminator, loop.header)) {
      if (cfg_.available_at_entry(a.expr, loop.header)) atoms.push_back(a);
    }
  }
  return atoms;
}

Knowledge::Facts Knowledge::facts_at(BlockId block, std::optional<BlockId> to) const {
  Facts atoms;
  const auto add = [&](const std::vector<Atom>& more) {
    for (const Atom& a : more) atoms.push_back(&a);
  };
  if (to) add(edge_facts(cfg_.function().block(block).terminator, *to));
  for (BlockId b = block; atoms.size() < 4 * kMaxFacts; b = cfg_.immediate_dominator(b)) {
    add(added_[index_of(b)]);
    if (b == ir::kEntry) break;
  }
  return atoms;
}

namespace {

// The facts that speak of these symbols, or of symbols such facts speak of.
std::vector<Atom> connected(const std::vector<const Atom*>& atoms, std::set<SymbolId> symbols) {
  std::vector<Atom> result;
  std::vector<bool> taken(atoms.size(), false);
  for (bool grown = true; grown && result.size() < kMaxFacts;) {
    grown = false;
    for (std::size_t i = 0; i < atoms.size() && result.size() < kMaxFacts; ++i) {
      if (taken[i]) continue;
      const auto& terms = atoms[i]->expr.terms();
      const bool touches = terms.empty() || std::any_of(terms.begin(), terms.end(), [&](auto& t) {
                             return symbols.contains(t.symbol);
                           });
      if (!touches) continue;
      taken[i] = grown = true;
      result.push_back(*atoms[i]);
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

}  // namespace

bool Knowledge::proves(const Atom& goal, BlockId block, std::optional<BlockId> to) const {
  if (goal.constant_truth().value_or(false)) return true;
  std::set<SymbolId> symbols;
  collect(goal.expr, symbols);
  return entailment_.proves(connected(facts_at(block, to), symbols), goal);
}

bool Knowledge::covered(const Item& item, const std::vector<const Items*>& known, BlockId block,
                        std::optional<BlockId> to) const {
  // Most of what is asked has been said in the same words.
  const Item written{ir::AccessKind::Write, item.path};
  for (const Items* items : known) {
    if (items->contains(item) || items->contains(written)) return true;
  }
  const Facts facts = facts_at(block, to);
  const auto equal_bases = [&](SymbolId a, SymbolId b) {
    const std::vector<Atom> about = connected(facts, {a, b});
    return !about.empty() && entailment_.proves(about, Atom::equal(LinearExpr(a), LinearExpr(b)));
  };
  std::vector<Range> sources;
  std::set<SymbolId> symbols;
  for (const Items* items : known) {
    for (const Item& i : *items) {
      if (i.kind < item.kind || i.path.space != item.path.space) continue;
      if (logic::surely_disjoint(i.path.range, item.path.range)) continue;
      if (i.path.base != item.path.base && !equal_bases(i.path.base, item.path.base)) continue;
      if (i.path.range == item.path.range) return true;
      add_source(i.path.range, sources);
    }
  }
  const LinearExpr length = item.path.range.end - item.path.range.begin;
  const bool hopeless = sources.empty() && length.is_constant() && length.constant() > 0;
  if (hopeless) return unreachable({block, to});
  const std::vector<Range> runs = runs_of(sources);
  sources.insert(sources.begin(), runs.begin(), runs.end());
  // What is spelled alike answers most questions, and must not fall victim to the bound.
  std::partition(sources.begin(), sources.end(),
                 [&](const Range& r) { return (r.begin - item.path.range.begin).is_constant(); });
  if (sources.size() > kMaxSources) sources.resize(kMaxSources);
  for (const Range& r : sources) {
    collect(r.begin, symbols);
    collect(r.end, symbols);
  }
  collect(item.path.range.begin, symbols);
  collect(item.path.range.end, symbols);
  return entailment_.covers(connected(facts, symbols), item.path.range, sources) ||
         unreachable({block, to});
}

// Facts that contradict each other may have nothing to do with the item asked about.
bool Knowledge::unreachable(const Place& place) const {
  const auto known = unreachable_.find(place);
  if (known != unreachable_.end()) return known->second;
  const Facts facts = facts_at(place.first, place.second);
  const Atom falsehood{Atom::Kind::NonNegative, LinearExpr(-1), 0};
  std::set<SymbolId> done;
  bool contradiction = false;
  for (const Atom* a : facts) {
    if (!a->expr.terms().empty() && done.contains(a->expr.terms()[0].symbol)) continue;
    std::set<SymbolId> symbols;
    collect(a->expr, symbols);
    const std::vector<Atom> together = connected(facts, symbols);
    for (const Atom& t : together) collect(t.expr, done);
    if ((contradiction = entailment_.proves(together, falsehood))) break;
  }
  unreachable_.emplace(place, contradiction);
  return contradiction;
}

std::optional<Item> Knowledge::before_edge(const Item& item, BlockId from, BlockId to) const {
  // Most items cross most edges as they are: they speak of nothing that belongs to the target.
  const auto belongs = [&](SymbolId s) {
    return to != ir::kEntry && cfg_.function().symbol(s).scope == to;
  };
  const auto speaks_of_target = [&](const LinearExpr& e) {
    return std::any_of(e.terms().begin(), e.terms().end(),
                       [&](const auto& t) { return belongs(t.symbol); });
  };
  if (!belongs(item.path.base) && !speaks_of_target(item.path.range.begin) &&
      !speaks_of_target(item.path.range.end)) {
    return item;
  }
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
  return cfg_.available_at_entry(item.path, to);
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
  if (item.path.range.is_constant()) return std::nullopt;
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

}  // namespace bigfoot::good_checks
