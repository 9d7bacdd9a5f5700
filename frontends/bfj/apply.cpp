#include "frontends/bfj/apply.h"

#include <algorithm>
#include <optional>
#include <set>

namespace bigfoot::bfj {
namespace {

using ir::LinearExpr;
using ir::SymbolId;

LinearExpr without_constant(const LinearExpr& e) {
  return e - e.constant();
}

ExprPtr plus(ExprPtr e, std::int64_t c) {
  if (c == 0) return e;
  return c > 0 ? make_binary(BinaryOp::Add, std::move(e), make_int(c))
               : make_binary(BinaryOp::Sub, std::move(e), make_int(-c));
}

struct Insertion {
  Anchor anchor;
  StmtPtr stmt;
  bool is_copy;
};

class Applier {
 public:
  Applier(Lowered& lowered, ApplyResult& result) : lowered_(lowered), result_(result) {}

  void function(ir::FunctionId id, const ir::Plan& plan, const ir::AliasedFunction* aliases,
                std::uint8_t placement, bool with_names) {
    LoweredFunction& f = lowered_.functions[ir::index_of(id)];
    Namer namer(f, aliases);
    copies_.clear();
    aliases_ = aliases;
    for (const ir::PlacedCheck& placed : plan.checks) {
      const Anchor* anchor = lowered_.anchor_of(id, placed.point);
      if (anchor == nullptr) {
        result_.problems.push_back(f.owner + ": no place in the text for a check");
        continue;
      }
      auto spelled = spell(f, namer, placed.check, anchor->position);
      if (!spelled) continue;
      StmtPtr stmt = make_stmt(std::move(*spelled));
      auto& check = std::get<CheckStmt>(stmt->node);
      check.placement = placement;
      if (with_names) check.names = names(f, namer, placed, anchor->position);
      result_.inserted.push_back({stmt.get(), id, placed.point});
      insertions_.push_back({*anchor, std::move(stmt), false});
    }
  }

  void finish() {
    // Grouped by list and index; back to front so that indices stay right.
    std::map<Block*, std::map<std::size_t, std::vector<Insertion>>> by_place;
    for (Insertion& i : insertions_) {
      by_place[i.anchor.list][i.anchor.index].push_back(std::move(i));
    }
    for (auto& [list, places] : by_place) {
      for (auto place = places.rbegin(); place != places.rend(); ++place) {
        insert(*list, place->first, place->second);
      }
    }
  }

 private:
  std::optional<CheckStmt> spell(LoweredFunction& f, Namer& namer, const ir::Check& check,
                                 std::uint32_t position) {
    // The second try finds every name, because the first has made copies of what was missing.
    for (int attempt = 0; attempt < 2; ++attempt) {
      std::vector<SymbolId> unnamed;
      CheckStmt stmt = try_spell(namer, check, position, unnamed);
      if (unnamed.empty()) return stmt;
      for (SymbolId s : unnamed) make_copy(f, namer, s);
    }
    result_.problems.push_back(f.owner + ": a check needs a value that has no name");
    return std::nullopt;
  }

  // An access that is sure stands alone; those of which some touched a part are named together.
  std::vector<CheckName> names(LoweredFunction& f, Namer& namer, const ir::PlacedCheck& placed,
                               std::uint32_t position) {
    using Standing = ir::Covered::Standing;
    std::vector<std::pair<ir::Range, std::vector<const Stmt*>>> groups;
    for (const ir::Covered& c : placed.stands_for) {
      if (c.standing == Standing::Also) continue;
      const Stmt* stmt = f.access_stmt[ir::index_of(c.access)];
      const auto group = c.standing == Standing::Named
                             ? groups.end()
                             : std::find_if(groups.begin(), groups.end(),
                                            [&](const auto& g) { return g.first == c.part; });
      if (group == groups.end()) {
        groups.push_back({c.part, {stmt}});
      } else {
        group->second.push_back(stmt);
      }
    }
    std::vector<CheckName> result;
    for (const auto& [part, accesses] : groups) {
      const ir::Check& check = placed.check;
      auto spelled = spell(f, namer, {check.kind, check.base, check.space, {part}}, position);
      if (!spelled) continue;
      for (CheckPath& path : spelled->paths) result.push_back({std::move(path), accesses});
    }
    return result;
  }

  CheckStmt try_spell(const Namer& namer, const ir::Check& check, std::uint32_t position,
                      std::vector<SymbolId>& unnamed) {
    CheckStmt stmt;
    const bool is_write = check.kind == ir::AccessKind::Write;
    const std::string* base = namer.variable(check.base, position);
    if (base == nullptr) {
      unnamed.push_back(check.base);
      return stmt;
    }
    if (check.space == ir::Space::Fields) {
      CheckPath path;
      path.is_write = is_write;
      path.base = *base;
      for (const ir::Range& r : check.ranges) {
        for (std::int64_t u = r.begin.constant(); u < r.end.constant(); u += r.step) {
          path.fields.push_back(lowered_.field_names[static_cast<std::size_t>(u)]);
        }
      }
      stmt.paths.push_back(std::move(path));
      return stmt;
    }
    for (const ir::Range& r : check.ranges) {
      // BFJ has no wide elements: a stride of width w is w strides, one unit apart.
      for (std::int64_t d = 0; d < r.width; ++d) {
        CheckPath path;
        path.is_write = is_write;
        path.base = *base;
        path.begin = namer.name(r.begin + d, position, &unnamed);
        const auto length = r.constant_length();
        if (!(length && *length == 1)) path.end = namer.name(r.end + d, position, &unnamed);
        path.step = r.step;
        stmt.paths.push_back(std::move(path));
      }
    }
    return stmt;
  }

  void make_copy(LoweredFunction& f, Namer& namer, SymbolId symbol) {
    const auto array = f.length_of.find(symbol);
    if (array != f.length_of.end()) symbol = array->second;
    if (!copies_.insert(symbol).second) return;
    if (const auto* phi = added_phi(symbol)) return make_phi(f, namer, *phi);
    const auto definition = f.definitions.find(symbol);
    if (definition == f.definitions.end()) return;
    const std::string copy = fresh_name(f, definition->second.variable);
    insertions_.push_back(
        {definition->second.after, make_stmt(Rename{copy, definition->second.variable}), true});
    namer.add_binding(copy, symbol);
  }

  const ir::AliasedFunction::AddedPhi* added_phi(SymbolId symbol) const {
    if (aliases_ == nullptr) return nullptr;
    for (const auto& phi : aliases_->added_phis) {
      if (phi.symbol == symbol) return &phi;
    }
    return nullptr;
  }

  // A value two arms have each read: copied at the end of both.
  void make_phi(LoweredFunction& f, Namer& namer, const ir::AliasedFunction::AddedPhi& phi) {
    const auto& preds = aliases_->function.block(phi.block).predecessors;
    std::string copy;
    for (std::size_t i = 0; i < preds.size(); ++i) {
      const auto edge = f.edge_anchors.find({preds[i], phi.block});
      if (edge == f.edge_anchors.end()) return;
      make_copy_if_unnamed(f, namer, phi.incoming[i], edge->second.position);
      const std::string* held = namer.variable(phi.incoming[i], edge->second.position);
      if (held == nullptr) return;
      if (copy.empty()) copy = fresh_name(f, *held);
      insertions_.push_back({edge->second, make_stmt(Rename{copy, *held}), true});
    }
    namer.add_binding(copy, phi.symbol);
  }
  void make_copy_if_unnamed(LoweredFunction& f, Namer& namer, SymbolId s, std::uint32_t position) {
    if (namer.variable(s, position) == nullptr) make_copy(f, namer, s);
  }

  std::string fresh_name(const LoweredFunction& f, const std::string& variable) {
    const auto taken = [&](const std::string& name) {
      return used_.contains(name) ||
             std::any_of(f.bindings.begin(), f.bindings.end(),
                         [&](const Binding& b) { return b.variable == name; });
    };
    std::string name = variable + "'";
    for (int i = 1; taken(name); ++i) name = variable + "'" + std::to_string(i);
    used_.insert(name);
    return name;
  }

  void insert(Block& list, std::size_t index, std::vector<Insertion>& here) {
    // Copies come first: a check at the same place may use them.
    std::vector<StmtPtr> before, on_break, on_unwind;
    for (const bool copies : {true, false}) {
      for (Insertion& i : here) {
        if (i.is_copy != copies) continue;
        auto& into = i.anchor.kind == Anchor::Kind::Insert  ? before
                     : i.anchor.kind == Anchor::Kind::Break ? on_break
                                                            : on_unwind;
        into.push_back(std::move(i.stmt));
      }
    }
    if (!on_break.empty()) {
      // if (c) break;   becomes   if (c) { checks; break; }
      Stmt& s = *list.stmts[index];
      auto body = std::make_unique<Block>();
      body->stmts = std::move(on_break);
      body->stmts.push_back(make_stmt(Break{nullptr}, s.pos));
      auto& condition = std::get<Break>(s.node).condition;
      s.node = If{std::move(condition), std::move(body), std::make_unique<Block>()};
    }
    if (!on_unwind.empty()) {
      // call;   becomes   try { call; } catch { checks; throw; }
      auto body = std::make_unique<Block>();
      const SourcePos pos = list.stmts[index]->pos;
      body->stmts.push_back(std::move(list.stmts[index]));
      auto handler = std::make_unique<Block>();
      handler->stmts = std::move(on_unwind);
      handler->stmts.push_back(make_stmt(Throw{}, pos));
      list.stmts[index] = make_stmt(Try{std::move(body), std::move(handler)}, pos);
    }
    list.stmts.insert(list.stmts.begin() + static_cast<std::ptrdiff_t>(index),
                      std::make_move_iterator(before.begin()),
                      std::make_move_iterator(before.end()));
  }

  Lowered& lowered_;
  ApplyResult& result_;
  std::vector<Insertion> insertions_;
  std::set<SymbolId> copies_;
  std::set<std::string> used_;
  const ir::AliasedFunction* aliases_ = nullptr;
};

}  // namespace

Namer::Namer(const LoweredFunction& function, const ir::AliasedFunction* aliases)
    : function_(function) {
  std::map<SymbolId, LinearExpr> values;
  if (aliases != nullptr) {
    for (const auto& [result, value] : aliases->same_as) values.emplace(result, value);
  }
  const auto by = [&](SymbolId s) -> const LinearExpr* {
    const auto it = values.find(s);
    return it == values.end() ? nullptr : &it->second;
  };
  for (const Binding& b : function.bindings) {
    if (!b.value.valid() || b.value.is_constant()) continue;
    const LinearExpr value = b.value.substitute(by);
    entries_[without_constant(value)].push_back({b.variable, value.constant(), b.from, b.to});
  }
}

void Namer::add_binding(const std::string& variable, SymbolId symbol) {
  entries_[LinearExpr(symbol)].push_back({variable, 0, 0, UINT32_MAX});
}

const Namer::Entry* Namer::find(const LinearExpr& key, std::uint32_t position, bool exact,
                                std::int64_t offset) const {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return nullptr;
  const Entry* best = nullptr;
  for (const Entry& e : it->second) {
    if (position < e.from || position >= e.to || (exact && e.offset != offset)) continue;
    const auto better = [&](const Entry& a, const Entry& b) {
      const bool a_exact = a.offset == offset, b_exact = b.offset == offset;
      if (a_exact != b_exact) return a_exact;
      return a.variable < b.variable;
    };
    if (best == nullptr || better(e, *best)) best = &e;
  }
  return best;
}

const std::string* Namer::variable(SymbolId symbol, std::uint32_t position) const {
  const Entry* e = find(LinearExpr(symbol), position, true, 0);
  return e ? &e->variable : nullptr;
}

ExprPtr Namer::name(const LinearExpr& e, std::uint32_t position,
                    std::vector<SymbolId>* unnamed) const {
  if (e.is_constant()) return make_int(e.constant());
  const LinearExpr key = without_constant(e);
  if (const Entry* whole = find(key, position, false, e.constant())) {
    return plus(make_var(whole->variable), e.constant() - whole->offset);
  }
  ExprPtr sum;
  std::int64_t constant = e.constant();
  for (const auto& t : e.terms()) {
    ExprPtr term;
    if (const Entry* entry = find(LinearExpr(t.symbol), position, false, 0)) {
      term = make_var(entry->variable);
      constant -= t.coefficient * entry->offset;
    } else {
      const auto array = function_.length_of.find(t.symbol);
      const std::string* base =
          array == function_.length_of.end() ? nullptr : variable(array->second, position);
      if (base == nullptr) {
        if (unnamed != nullptr) unnamed->push_back(t.symbol);
        return nullptr;
      }
      term = std::make_unique<Expr>();
      term->node = LengthOf{*base};
    }
    const std::int64_t c = t.coefficient;
    const std::int64_t magnitude = c < 0 ? -c : c;
    if (magnitude != 1) term = make_binary(BinaryOp::Mul, make_int(magnitude), std::move(term));
    if (!sum) {
      sum = c > 0 ? std::move(term) : make_binary(BinaryOp::Sub, make_int(0), std::move(term));
    } else {
      sum = make_binary(c > 0 ? BinaryOp::Add : BinaryOp::Sub, std::move(sum), std::move(term));
    }
  }
  return plus(std::move(sum), constant);
}

ApplyResult apply(Lowered& lowered, const std::vector<ProgramPlans>& placements) {
  ApplyResult result;
  Applier applier(lowered, result);
  for (std::size_t p = 0; p < placements.size(); ++p) {
    const auto& [plans, aliases, with_names] = placements[p];
    for (std::size_t i = 0; i < plans.size(); ++i) {
      applier.function(ir::FunctionId(i), *plans[i], aliases.empty() ? nullptr : aliases[i],
                       static_cast<std::uint8_t>(p), with_names);
    }
  }
  applier.finish();
  result.program = std::move(lowered.source);
  return result;
}

}  // namespace bigfoot::bfj
