#include "analysis/placement/reasoner.h"

#include <algorithm>
#include <set>

#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using ir::AccessKind;
using ir::Atom;
using ir::BlockId;
using ir::LinearExpr;
using ir::Path;
using ir::Range;
using ir::SymbolId;

// How far up the dominator tree a query looks, and how many facts it takes along. Conditions that
// matter for an index are near it; both numbers are far above what the random programs need.
constexpr std::size_t kVisibleFacts = 128;
constexpr std::size_t kRelevantFacts = 24;
// Facts about one array that can take part in one union.
constexpr std::size_t kMaxSources = 12;

void add_symbols(const LinearExpr& e, std::vector<SymbolId>& symbols) {
  for (const auto& t : e.terms()) symbols.push_back(t.symbol);
}

bool equates_two_symbols(const Atom& a) {
  const auto& t = a.expr.terms();
  return a.kind == Atom::Kind::Zero && t.size() == 2 && a.expr.constant() == 0 &&
         t[0].coefficient + t[1].coefficient == 0;
}

bool is_false(const Atom& a) {
  return !a.constant_truth().value_or(true);
}

}  // namespace

BooleanFacts::BooleanFacts(const ir::Cfg& cfg)
    : cfg_(cfg),
      own_(cfg.function().blocks.size()),
      unreachable_(own_.size(), false),
      next_(own_.size()) {}

void BooleanFacts::set_own(BlockId b, std::vector<Atom> atoms) {
  own_[index_of(b)] = std::move(atoms);
  if (b == ir::kEntry) return;
  const BlockId idom = cfg_.immediate_dominator(b);
  next_[index_of(b)] = own(idom).empty() ? next_[index_of(idom)] : idom;
  unreachable_[index_of(b)] =
      unreachable(idom) || std::any_of(own(b).begin(), own(b).end(), is_false);
}

std::vector<const Atom*> BooleanFacts::visible_from(BlockId b, std::size_t limit) const {
  std::vector<const Atom*> atoms;
  for (std::optional<BlockId> at = b; at && atoms.size() < limit; at = next_[index_of(*at)]) {
    for (const Atom& a : own(*at)) atoms.push_back(&a);
  }
  return atoms;
}

std::vector<Atom> Reasoner::relevant_facts(Where where, std::vector<SymbolId> symbols) const {
  std::vector<const Atom*> visible = booleans_.visible_from(where.block, kVisibleFacts);
  if (where.to) {
    const auto& on_edge = edge_facts(function().block(where.block).terminator, *where.to);
    visible.insert(visible.begin(), on_edge.size(), nullptr);
    for (std::size_t i = 0; i < on_edge.size(); ++i) visible[i] = &on_edge[i];
  }

  // Facts connected to the goal through shared symbols.
  std::set<SymbolId> connected(symbols.begin(), symbols.end());
  std::vector<bool> taken(visible.size(), false);
  std::vector<Atom> result;
  for (bool grown = true; grown && result.size() < kRelevantFacts;) {
    grown = false;
    for (std::size_t i = 0; i < visible.size() && result.size() < kRelevantFacts; ++i) {
      if (taken[i]) continue;
      const auto& terms = visible[i]->expr.terms();
      if (std::none_of(terms.begin(), terms.end(),
                       [&](const auto& t) { return connected.contains(t.symbol); })) {
        continue;
      }
      taken[i] = grown = true;
      result.push_back(*visible[i]);
      for (const auto& t : terms) connected.insert(t.symbol);
    }
  }
  return result;
}

void Reasoner::find_equated_symbols() {
  for (const ir::Block& b : function().blocks) {
    for (BlockId s : successors(b.terminator)) {
      for (const Atom& a : edge_facts(b.terminator, s)) {
        if (!equates_two_symbols(a)) continue;
        for (const auto& t : a.expr.terms()) equated_.insert(t.symbol);
      }
    }
  }
}

bool Reasoner::unreachable(Where where) const {
  if (booleans_.unreachable(where.block)) return true;
  if (!where.to) return false;
  const auto& on_edge = edge_facts(function().block(where.block).terminator, *where.to);
  return std::any_of(on_edge.begin(), on_edge.end(), is_false);
}

bool Reasoner::proves(Where where, const Atom& goal) {
  if (unreachable(where)) return true;
  if (const auto truth = goal.constant_truth(); truth && *truth) return true;
  std::vector<SymbolId> symbols;
  add_symbols(goal.expr, symbols);
  return entailment_.proves(relevant_facts(where, std::move(symbols)), goal);
}

bool Reasoner::covers(Where where, const Range& target, const std::vector<Range>& sources) {
  if (unreachable(where)) return true;
  for (const Range& s : sources) {
    if (s == target) return true;
  }
  if (target.is_constant() && std::all_of(sources.begin(), sources.end(), [&](const Range& s) {
        return logic::surely_disjoint(s, target);
      })) {
    return target.end.constant() <= target.begin.constant();
  }
  std::vector<SymbolId> symbols;
  add_symbols(target.begin, symbols);
  add_symbols(target.end, symbols);
  for (const Range& s : sources) {
    add_symbols(s.begin, symbols);
    add_symbols(s.end, symbols);
  }
  return entailment_.covers(relevant_facts(where, std::move(symbols)), target, sources);
}

std::vector<SymbolId> Reasoner::bases_equal_to(Where where, SymbolId base) {
  std::vector<SymbolId> bases{base};
  if (!equated_.contains(base)) return bases;
  const auto facts = relevant_facts(where, {base});
  const auto add = [&](SymbolId known, SymbolId other) {
    const bool has_known = std::find(bases.begin(), bases.end(), known) != bases.end();
    const bool has_other = std::find(bases.begin(), bases.end(), other) != bases.end();
    if (has_known && !has_other) bases.push_back(other);
    return has_known && !has_other;
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (const Atom& a : facts) {
      const auto& t = a.expr.terms();
      if (!equates_two_symbols(a)) continue;
      grown |= add(t[0].symbol, t[1].symbol);
      grown |= add(t[1].symbol, t[0].symbol);
    }
  }
  return bases;
}

bool Reasoner::entails(Where where, const FactSet& set, AccessKind kind, const Path& path) {
  const PathFact* same = set.find(path);
  if (same != nullptr && same->kind >= kind) return true;
  std::vector<Range> sources;
  for (SymbolId base : bases_equal_to(where, path.base)) {
    for (const PathFact& f : set.about(base, path.space)) {
      if (f.kind < kind) continue;
      if (f.path.range == path.range) return true;
      if (sources.size() < kMaxSources && !logic::surely_disjoint(f.path.range, path.range)) {
        sources.push_back(f.path.range);
      }
    }
  }
  return covers(where, path.range, sources);
}

bool Reasoner::same_ranges(Where where, const std::vector<Range>& a, const std::vector<Range>& b) {
  const auto inside = [&](const std::vector<Range>& xs, const std::vector<Range>& ys) {
    return std::all_of(xs.begin(), xs.end(), [&](const Range& x) { return covers(where, x, ys); });
  };
  return inside(a, b) && inside(b, a);
}

// ---- Crossing edges ----

std::optional<Path> Reasoner::before_edge(const Path& path, BlockId from, BlockId to) const {
  const ir::Block& block = function().block(to);
  // Most paths cross most edges as they are: nothing they mention belongs to the target.
  const auto belongs = [&](SymbolId s) {
    return function().symbol(s).scope == to && to != ir::kEntry;
  };
  const auto mentions_target = [&](const LinearExpr& e) {
    return std::any_of(e.terms().begin(), e.terms().end(),
                       [&](const logic::Term& t) { return belongs(t.symbol); });
  };
  if (!belongs(path.base) && !mentions_target(path.range.begin) &&
      !mentions_target(path.range.end)) {
    return path;
  }
  bool born_there = false;
  std::vector<std::pair<SymbolId, LinearExpr>> values;
  for (const ir::Phi& phi : block.phis) {
    if (mentions(path, phi.symbol)) {
      values.emplace_back(phi.symbol, incoming_value(function(), phi, to, from));
    }
  }
  const auto by = [&](SymbolId s) -> const LinearExpr* {
    for (const auto& [symbol, value] : values) {
      if (symbol == s) return &value;
    }
    const ir::Symbol& info = function().symbol(s);
    if (info.scope == to && to != ir::kEntry && !mutated(Mutation::AssignKeepsAnticipated)) {
      born_there = true;  // A \ x, where x is defined in the next block
    }
    return nullptr;
  };
  Path result = path;
  result.range = path.range.substitute(by);
  const LinearExpr base = LinearExpr(path.base).substitute(by);
  if (born_there || !base.is_symbol() || !result.range.valid()) return std::nullopt;
  result.base = base.symbol();
  return result;
}

Atom Reasoner::before_edge(const Atom& atom, BlockId from, BlockId to) const {
  const ir::Block& block = function().block(to);
  std::vector<std::pair<SymbolId, LinearExpr>> values;
  for (const ir::Phi& phi : block.phis) {
    if (atom.expr.mentions(phi.symbol)) {
      values.emplace_back(phi.symbol, incoming_value(function(), phi, to, from));
    }
  }
  return atom.substitute([&](SymbolId s) -> const LinearExpr* {
    for (const auto& [symbol, value] : values) {
      if (symbol == s) return &value;
    }
    return nullptr;
  });
}

bool Reasoner::survives_edge(const LinearExpr& e, BlockId to) const {
  if (!e.valid()) return false;
  return std::all_of(e.terms().begin(), e.terms().end(), [&](const auto& t) {
    const BlockId scope = function().symbol(t.symbol).scope;
    // A value defined in `to` itself is redefined by the edge; the old one has no name there.
    return scope != to ? cfg_.dominates(scope, to) : to == ir::kEntry;
  });
}

// phi = symbol + c on this edge, so symbol = phi - c afterwards. Several phis may do; `choice` says
// which to take (the last one there is, at most).
std::optional<LinearExpr> Reasoner::phi_spelling(SymbolId symbol, BlockId from, BlockId to,
                                                 std::size_t choice) const {
  std::optional<LinearExpr> spelling;
  for (const ir::Phi& phi : function().block(to).phis) {
    const LinearExpr value = incoming_value(function(), phi, to, from);
    const LinearExpr rest = value - LinearExpr(symbol);
    if (!rest.is_constant()) continue;
    spelling = LinearExpr(phi.symbol) - rest.constant();
    if (choice-- == 0) break;
  }
  return spelling;
}

// symbol = X by the facts on this edge, for an X that is usable.
template <class Usable>
std::optional<LinearExpr> Reasoner::equal_spelling(SymbolId symbol, BlockId from, BlockId to,
                                                   Usable usable) {
  const Where edge{from, to};
  std::vector<LinearExpr> tried;
  for (const Atom& a : relevant_facts(edge, {symbol})) {
    const std::int64_t c = a.expr.coefficient_of(symbol);
    if ((c != 1 && c != -1) || a.kind == Atom::Kind::NonZero || a.kind == Atom::Kind::Divisible) {
      continue;
    }
    const LinearExpr bound = a.expr.plus_scaled(LinearExpr(symbol), -c) * -c;
    if (!usable(bound)) continue;
    if (std::find(tried.begin(), tried.end(), bound) != tried.end()) continue;
    tried.push_back(bound);
    if (proves(edge, Atom::equal(LinearExpr(symbol), bound))) return bound;
  }
  return std::nullopt;
}

bool Reasoner::leaves_loop(BlockId from, BlockId to) const {
  return std::any_of(cfg_.loops().begin(), cfg_.loops().end(), [&](const ir::Loop& loop) {
    return loop.contains(from) && !loop.contains(to);
  });
}

bool Reasoner::counts_rounds_left(SymbolId symbol, BlockId from, BlockId to) const {
  const ir::Symbol& info = function().symbol(symbol);
  const ir::Loop* loop = info.is_phi ? cfg_.loop_headed_by(info.scope) : nullptr;
  return loop != nullptr && loop->contains(from) && !loop->contains(to);
}

Path Reasoner::outside_loops(const Path& path, BlockId from, BlockId to) {
  std::vector<SymbolId> symbols;
  add_symbols(path.range.begin, symbols);
  add_symbols(path.range.end, symbols);
  std::vector<std::pair<SymbolId, LinearExpr>> values;
  for (SymbolId s : symbols) {
    if (!counts_rounds_left(s, from, to)) continue;
    auto total = equal_spelling(s, from, to, [&](const LinearExpr& e) {
      return survives_edge(e, to) &&
             std::none_of(e.terms().begin(), e.terms().end(), [&](const logic::Term& t) {
               return counts_rounds_left(t.symbol, from, to);
             });
    });
    if (total) values.emplace_back(s, *total);
  }
  if (values.empty()) return path;
  Path result = path;
  result.range = path.range.substitute([&](SymbolId s) -> const LinearExpr* {
    const auto it = std::find_if(values.begin(), values.end(),
                                 [&](const auto& value) { return value.first == s; });
    return it == values.end() ? nullptr : &it->second;
  });
  return result.range.valid() ? result : path;
}

std::vector<Path> Reasoner::after_edge(const Path& path, BlockId from, BlockId to) {
  std::vector<SymbolId> lost, all;
  all.push_back(path.base);
  add_symbols(path.range.begin, all);
  add_symbols(path.range.end, all);
  for (SymbolId s : all) {
    if (!survives_edge(LinearExpr(s), to)) lost.push_back(s);
  }
  const auto respell = [&](const auto& spelling_of) -> std::optional<Path> {
    std::vector<std::pair<SymbolId, LinearExpr>> values;
    for (SymbolId s : lost) {
      auto spelling = spelling_of(s);
      if (!spelling) return std::nullopt;
      values.emplace_back(s, *spelling);
    }
    const auto by = [&](SymbolId s) -> const LinearExpr* {
      for (const auto& [symbol, value] : values) {
        if (symbol == s) return &value;
      }
      return nullptr;
    };
    Path result = path;
    result.range = path.range.substitute(by);
    const LinearExpr base = LinearExpr(path.base).substitute(by);
    if (!base.is_symbol() || !result.range.valid()) return std::nullopt;
    result.base = base.symbol();
    return result;
  };
  if (lost.empty()) {
    std::vector<Path> spellings{path};
    // A phi may be the better name on the other side (both arms spell it differently before).
    lost = all;
    if (!function().block(to).phis.empty()) {
      const auto by_phi = respell([&](SymbolId s) -> std::optional<LinearExpr> {
        auto spelling = phi_spelling(s, from, to, 0);
        return spelling ? spelling : std::optional<LinearExpr>(LinearExpr(s));
      });
      if (by_phi && *by_phi != path) spellings.push_back(*by_phi);
    }
    return spellings;
  }
  std::vector<Path> spellings;
  const auto add = [&](const std::optional<Path>& p) {
    if (p && std::find(spellings.begin(), spellings.end(), *p) == spellings.end()) {
      spellings.push_back(*p);
    }
  };
  add(respell([&](SymbolId s) {
    auto spelling =
        equal_spelling(s, from, to, [&](const LinearExpr& e) { return survives_edge(e, to); });
    return spelling ? spelling : phi_spelling(s, from, to, 0);
  }));
  constexpr std::size_t kPhisTried = 3;
  for (std::size_t choice = 0; choice < kPhisTried; ++choice) {
    add(respell([&](SymbolId s) { return phi_spelling(s, from, to, choice); }));
  }
  return spellings;
}

// ---- Unions ----

void Reasoner::find_kinds() {
  kinds_.resize(function().access_count);
  for (const ir::Block& block : function().blocks) {
    for (const ir::Instruction& i : block.instructions) {
      if (const auto* a = std::get_if<ir::Access>(&i)) kinds_[index_of(a->id)] = a->kind;
    }
  }
}

bool Reasoner::is_exact(const PathFact& fact) const {
  return std::any_of(fact.sure.begin(), fact.sure.end(),
                     [&](ir::AccessId a) { return kind_of(a) == fact.kind; });
}

// The loop around the block changes where the range lies.
bool Reasoner::moves_at(BlockId block, const Range& range) const {
  const ir::Loop* loop = cfg_.innermost_loop({&block, 1});
  return loop != nullptr &&
         !(cfg_.invariant_in(*loop, range.begin) && cfg_.invariant_in(*loop, range.end));
}

void Reasoner::merge_adjoining(FactSet& set, Where where, Adjoining which) {
  // Only neighbours that fit end to begin are tried, so the work is the number of such pairs.
  for (bool changed = true; changed;) {
    changed = false;
    const auto& facts = set.facts();
    for (std::size_t i = 0; i < facts.size() && !changed; ++i) {
      const PathFact& a = facts[i];
      if (a.path.space != ir::Space::Elements) continue;
      for (const PathFact& b : set.about(a.path.base, a.path.space)) {
        const Range &ra = a.path.range, &rb = b.path.range;
        const bool adjoining =
            ra.end == rb.begin || (rb.step > 1 && ra.begin + rb.step == rb.begin);
        if (&a == &b || a.kind != b.kind || !adjoining) continue;
        Range joined{ra.begin, rb.end, std::max(ra.step, rb.step), std::min(ra.width, rb.width)};
        if (ra.step != rb.step) {
          // A stride followed or preceded by one of its elements.
          const Range& stride = ra.step > 1 ? ra : rb;
          const Range& single = ra.step > 1 ? rb : ra;
          const auto length = single.constant_length();
          if (!length || *length != stride.width) continue;
          joined.width = stride.width;
          if (ra.step > 1) joined.end = rb.begin + stride.step;
        }
        PathFact merged{a.kind, a.path, a.who, common_sources(a.sure, b.sure),
                        a.either || b.either};
        const bool loses_source = (is_exact(a) || is_exact(b)) && !is_exact(merged);
        if (which == Adjoining::SameSourceOrMoving && loses_source &&
            !(moves_at(where.block, ra) && moves_at(where.block, rb))) {
          continue;
        }
        if (!same_ranges(where, {joined}, {ra, rb})) continue;
        merged.path.range = joined;
        add_sources(merged.who, b.who);
        const Path pa = a.path, pb = b.path;
        set.remove_if([&](const PathFact& f) { return f.path == pa || f.path == pb; });
        set.insert(std::move(merged));
        changed = true;
        break;
      }
    }
  }
}

}  // namespace bigfoot::placement
