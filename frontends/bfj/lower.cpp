#include "frontends/bfj/lower.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analysis/ir/builder.h"
#include "frontends/bfj/desugar.h"
#include "frontends/bfj/printer.h"

namespace bigfoot::bfj {
namespace {

using ir::AccessKind;
using ir::Atom;
using ir::BlockId;
using ir::LinearExpr;
using ir::Space;
using ir::SymbolId;

constexpr ir::MemoryClass kArrays{0};

struct ConditionFacts {
  std::vector<Atom> when_true;
  std::vector<Atom> when_false;
};

// ---- What a method may do that shapes its callers' graphs ----

bool throws_outside_try(const Block& b, const std::set<std::string>& throwing) {
  return std::any_of(b.stmts.begin(), b.stmts.end(), [&](const StmtPtr& s) {
    return std::visit(Overloaded{
                          [](const Throw&) { return true; },
                          [&](const Invoke& n) { return !n.fork && throwing.contains(n.method); },
                          [&](const If& n) {
                            return throws_outside_try(*n.then_block, throwing) ||
                                   throws_outside_try(*n.else_block, throwing);
                          },
                          [&](const Loop& n) { return throws_outside_try(*n.body, throwing); },
                          [&](const Try& n) { return throws_outside_try(*n.handler, throwing); },
                          [](const auto&) { return false; },
                      },
                      s->node);
  });
}

std::set<std::string> throwing_methods(const Program& p) {
  std::set<std::string> throwing;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Class& c : p.classes) {
      for (const Method& m : c.methods) {
        if (!throwing.contains(m.name) && throws_outside_try(*m.body, throwing)) {
          throwing.insert(m.name);
          changed = true;
        }
      }
    }
  }
  return throwing;
}

// Variables a block may assign, nested blocks included; computed once per block.
class AssignedVariables {
 public:
  const std::set<std::string>& in(const Block& b) {
    const auto it = known_.find(&b);
    if (it != known_.end()) return it->second;
    std::set<std::string> names;
    for (const StmtPtr& s : b.stmts) collect(*s, names);
    return known_[&b] = std::move(names);
  }

 private:
  void collect(const Stmt& s, std::set<std::string>& names) {
    const auto nested = [&](const Block& b) {
      const auto& inner = in(b);
      names.insert(inner.begin(), inner.end());
    };
    std::visit(Overloaded{
                   [&](const Assign& n) { names.insert(n.target); },
                   [&](const Rename& n) { names.insert(n.target); },
                   [&](const New& n) { names.insert(n.target); },
                   [&](const NewArray& n) { names.insert(n.target); },
                   [&](const FieldRead& n) { names.insert(n.target); },
                   [&](const ArrayRead& n) { names.insert(n.target); },
                   [&](const Invoke& n) {
                     if (!n.target.empty()) names.insert(n.target);
                   },
                   [&](const If& n) {
                     nested(*n.then_block);
                     nested(*n.else_block);
                   },
                   [&](const Loop& n) { nested(*n.body); },
                   [&](const Try& n) {
                     nested(*n.body);
                     nested(*n.handler);
                   },
                   [](const auto&) {},
               },
               s.node);
  }
  std::unordered_map<const Block*, std::set<std::string>> known_;
};

// Names shared by every function of the program.
struct Names {
  std::map<std::string, std::int64_t> fields;
  std::map<std::string, ir::FunctionId> methods;
  std::set<std::string> throwing;
  const Program* program = nullptr;
};

// Where control and variables come together: the end of a loop, the start of a handler.
struct Meeting {
  BlockId block;
  std::set<std::string> variables;
  std::vector<std::pair<BlockId, std::map<std::string, LinearExpr>>> arrivals;
};

class FunctionLowering {
 public:
  FunctionLowering(const Names& names, AssignedVariables& assigned, std::string owner)
      : names_(names), assigned_(assigned), b_(owner) {
    out_.owner = std::move(owner);
  }

  void method(Method& m) {
    const Anchor start{Anchor::Kind::Insert, m.body.get(), 0, next_position()};
    bind("this", LinearExpr(b_.parameter("this")), start);
    for (const std::string& p : m.parameters) bind(p, LinearExpr(b_.parameter(p)), start);
    lower_block(*m.body);
    finish_body(*m.body, m.result);
  }

  void thread(Thread& t) {
    shared_allowed_ = true;
    thread_assigns_ = &assigned_.in(*t.body);
    lower_block(*t.body);
    finish_body(*t.body, {});
  }

  std::pair<ir::Function, LoweredFunction> finish() {
    ir::Function f = b_.finish();
    rename_blocks(f);
    return {std::move(f), std::move(out_)};
  }

 private:
  // ---- Positions, anchors, bindings ----

  std::uint32_t next_position() { return ++position_; }

  Anchor insert_at(Block& list, std::size_t index) {
    return {Anchor::Kind::Insert, &list, index, next_position()};
  }

  void close_binding(const std::string& variable) {
    const auto it = current_.find(variable);
    if (it == current_.end()) return;
    std::uint32_t& to = out_.bindings[it->second].to;
    to = std::min(to, position_ + 1);
  }

  void bind(const std::string& variable, const LinearExpr& value, const Anchor& after) {
    close_binding(variable);
    current_[variable] = out_.bindings.size();
    out_.bindings.push_back({variable, value, position_ + 1, UINT32_MAX});
    env_[variable] = value;
    if (value.is_symbol()) out_.definitions.try_emplace(value.symbol(), after, variable);
  }

  LinearExpr value_of(const std::string& variable) {
    const auto it = env_.find(variable);
    if (it != env_.end()) return it->second;
    if (shared_allowed_ && !thread_assigns_->contains(variable)) {
      const SymbolId s = b_.pure_symbol(variable, ir::kEntry);
      // Shared names are never assigned, so the binding holds everywhere.
      out_.bindings.push_back({variable, LinearExpr(s), 0, UINT32_MAX});
      return env_[variable] = LinearExpr(s);
    }
    return LinearExpr(0);  // an unassigned local is null
  }

  void here(Block& list, std::size_t index) {
    list_ = &list;
    index_ = index;
    anchor_ = insert_at(list, index);
  }
  Anchor after_current() const {
    Anchor a = anchor_;
    ++a.index;
    a.position = position_ + 1;
    return a;
  }

  // Instructions added since the last call belong to the current anchor.
  void note_anchors(const Anchor& anchor) {
    auto& anchors = raw_anchors_[b_.block()];
    const std::size_t count = instruction_count(b_.block());
    if (anchors.size() < count) anchors.resize(count, anchor);
  }
  std::size_t instruction_count(BlockId block) const {
    const auto it = counts_.find(block);
    return it == counts_.end() ? 0 : it->second;
  }
  void emit(ir::Instruction instruction) {
    b_.add(std::move(instruction));
    ++counts_[b_.block()];
    note_anchors(anchor_);
  }
  SymbolId emit_opaque(const std::string& name) {
    const SymbolId s = b_.fresh(name);
    emit(ir::Opaque{s});
    return s;
  }
  void terminate(ir::Terminator t, const Anchor& anchor) {
    b_.terminate(std::move(t));
    terminator_anchor_[b_.block()] = anchor;
  }
  void edge(BlockId from, BlockId to, const Anchor& anchor) { raw_edges_[{from, to}] = anchor; }

  bool reachable() const { return !b_.terminated(); }

  // ---- Expressions ----

  std::optional<LinearExpr> linear(const Expr& e) {
    return std::visit(
        Overloaded{
            [](const IntLiteral& n) { return std::optional<LinearExpr>(n.value); },
            [](const BoolLiteral& n) { return std::optional<LinearExpr>(n.value ? 1 : 0); },
            [](const NullLiteral&) { return std::optional<LinearExpr>(0); },
            [&](const VarRef& n) { return std::optional<LinearExpr>(value_of(n.name)); },
            [&](const LengthOf& n) { return length(n.array); },
            [](const Nondet&) { return std::optional<LinearExpr>(); },
            [&](const Unary& n) -> std::optional<LinearExpr> {
              if (n.op != UnaryOp::Negate) return std::nullopt;
              const auto v = linear(*n.operand);
              if (!v) return std::nullopt;
              return -*v;
            },
            [&](const Binary& n) { return linear_binary(n); },
        },
        e.node);
  }

  std::optional<LinearExpr> linear_binary(const Binary& n) {
    if (n.op != BinaryOp::Add && n.op != BinaryOp::Sub && n.op != BinaryOp::Mul) {
      return std::nullopt;
    }
    const auto l = linear(*n.left);
    const auto r = linear(*n.right);
    if (!l || !r) return std::nullopt;
    if (n.op == BinaryOp::Add) return *l + *r;
    if (n.op == BinaryOp::Sub) return *l - *r;
    if (l->is_constant()) return *r * l->constant();
    if (r->is_constant()) return *l * r->constant();
    return std::nullopt;
  }

  std::optional<LinearExpr> length(const std::string& array) {
    const LinearExpr base = value_of(array);
    if (!base.is_symbol()) return std::nullopt;
    const auto it = lengths_.find(base.symbol());
    if (it != lengths_.end()) return it->second;
    const SymbolId s = b_.pure_symbol(array + ".length", b_.symbol(base.symbol()).scope);
    out_.length_of[s] = base.symbol();
    return lengths_[base.symbol()] = LinearExpr(s);
  }

  // The value of e, made opaque when it is not linear. Anonymous unless `name` says otherwise.
  LinearExpr value(const Expr& e, const std::string& name) {
    const auto v = linear(e);
    if (v && v->valid()) return *v;
    const SymbolId s = emit_opaque(name);
    const ConditionFacts facts = condition(e);
    if (!facts.when_true.empty() || !facts.when_false.empty()) remembered_[s] = facts;
    return LinearExpr(s);
  }

  ConditionFacts condition(const Expr& e) {
    if (const auto* n = std::get_if<Unary>(&e.node); n != nullptr && n->op == UnaryOp::Not) {
      ConditionFacts inner = condition(*n->operand);
      return {std::move(inner.when_false), std::move(inner.when_true)};
    }
    if (const auto* n = std::get_if<Binary>(&e.node)) {
      if (n->op == BinaryOp::And || n->op == BinaryOp::Or) return connective(*n);
      const auto l = linear(*n->left);
      const auto r = linear(*n->right);
      if (l && r) {
        if (auto facts = comparison(n->op, *l, *r)) return *facts;
      }
      return {};
    }
    const auto v = linear(e);
    if (!v || !v->valid()) return {};
    ConditionFacts facts;
    if (v->is_symbol() && remembered_.contains(v->symbol())) facts = remembered_[v->symbol()];
    facts.when_true.push_back(Atom::not_equal(*v, 0));
    facts.when_false.push_back(Atom::equal(*v, 0));
    return facts;
  }

  ConditionFacts connective(const Binary& n) {
    ConditionFacts l = condition(*n.left);
    ConditionFacts r = condition(*n.right);
    ConditionFacts facts;
    auto& conjoined = n.op == BinaryOp::And ? facts.when_true : facts.when_false;
    for (ConditionFacts* side : {&l, &r}) {
      auto& from = n.op == BinaryOp::And ? side->when_true : side->when_false;
      conjoined.insert(conjoined.end(), from.begin(), from.end());
    }
    return facts;
  }

  static std::optional<ConditionFacts> comparison(BinaryOp op, const LinearExpr& l,
                                                  const LinearExpr& r) {
    switch (op) {
      case BinaryOp::Equal:
        return ConditionFacts{{Atom::equal(l, r)}, {Atom::not_equal(l, r)}};
      case BinaryOp::NotEqual:
        return ConditionFacts{{Atom::not_equal(l, r)}, {Atom::equal(l, r)}};
      case BinaryOp::Less:
        return ConditionFacts{{Atom::less(l, r)}, {Atom::at_most(r, l)}};
      case BinaryOp::AtMost:
        return ConditionFacts{{Atom::at_most(l, r)}, {Atom::less(r, l)}};
      case BinaryOp::Greater:
        return ConditionFacts{{Atom::less(r, l)}, {Atom::at_most(l, r)}};
      case BinaryOp::AtLeast:
        return ConditionFacts{{Atom::at_most(r, l)}, {Atom::less(l, r)}};
      default:
        return std::nullopt;
    }
  }

  // The object a path starts from must be a single symbol.
  SymbolId base_symbol(const std::string& variable) {
    const LinearExpr v = value_of(variable);
    if (v.is_symbol()) return v.symbol();
    const SymbolId s = emit_opaque(variable);
    bind(variable, LinearExpr(s), anchor_);
    return s;
  }

  std::int64_t field(const std::string& name) const { return names_.fields.at(name); }
  ir::Path field_path(const std::string& base, const std::string& name) {
    return {base_symbol(base), Space::Fields, logic::block(LinearExpr(field(name)), 1)};
  }
  ir::Path element_path(const std::string& base, const Expr& index) {
    const SymbolId s = base_symbol(base);
    return {s, Space::Elements, logic::block(value(index, "index"), 1)};
  }
  ir::MemoryClass class_of_field(const std::string& name) const {
    return ir::MemoryClass(static_cast<std::uint32_t>(field(name)) + 1);
  }

  void access(AccessKind kind, const ir::Path& path, ir::MemoryClass c,
              std::optional<SymbolId> result, const Stmt& s) {
    b_.access(kind, path, c, result);
    ++counts_[b_.block()];
    note_anchors(anchor_);
    out_.access_pos.push_back(s.pos);
    out_.access_text.push_back(print_head(s));
  }

  // ---- Statements ----

  void lower_block(Block& list) {
    for (std::size_t i = 0; i < list.stmts.size(); ++i) {
      Block* outer_list = list_;
      const std::size_t outer_index = index_;
      here(list, i);
      Stmt& s = *list.stmts[i];
      if (!reachable()) {
        // Code after break, throw or halt: lowered into a block nobody reaches, then dropped.
        b_.set_block(b_.new_block());
      }
      std::visit([&](auto& n) { lower_stmt(n, s); }, s.node);
      if (reachable()) {
        out_.after_statement[&s] = {ir::Point::before(b_.block(), instruction_count(b_.block())),
                                    position_ + 1};
      }
      list_ = outer_list;
      index_ = outer_index;
    }
  }

  void lower_stmt(Skip&, Stmt&) {}
  void lower_stmt(Assign& n, Stmt&) {
    LinearExpr v = value(*n.value, n.target);
    if (!(v.is_symbol() && b_.symbol(v.symbol()).name == n.target)) {
      const SymbolId s = b_.fresh(n.target);
      emit(ir::Define{s, v});
    }
    if (v.terms().size() > 8) v = LinearExpr(emit_opaque(n.target));
    bind(n.target, v, after_current());
    out_.bindings.back().assigned = true;
  }
  void lower_stmt(Rename& n, Stmt&) {
    const LinearExpr v = value_of(n.source);
    bind(n.target, v, after_current());
    // The source is fresh from here on: nothing may be named by it any more.
    close_binding(n.source);
  }
  void lower_stmt(Sync& n, Stmt&) {
    value_of(n.object);
    switch (n.kind) {
      case Sync::Kind::Acquire:
      case Sync::Kind::Join:
        return emit(ir::Acquire{});
      case Sync::Kind::Release:
        return emit(ir::Release{});
      case Sync::Kind::Wait:
        emit(ir::Release{});
        return emit(ir::Acquire{});
      case Sync::Kind::Notify:
        return;
    }
  }
  void lower_stmt(New& n, Stmt&) {
    bind(n.target, LinearExpr(emit_opaque(n.target)), after_current());
  }
  void lower_stmt(NewArray& n, Stmt&) {
    const LinearExpr length = value(*n.length, "length");
    const SymbolId s = emit_opaque(n.target);
    lengths_[s] = length;
    bind(n.target, LinearExpr(s), after_current());
  }
  void lower_stmt(FieldRead& n, Stmt& s) {
    if (names_.program->is_volatile(n.field)) {
      base_symbol(n.base);
      emit(ir::Acquire{});
      bind(n.target, LinearExpr(emit_opaque(n.target)), after_current());
      return;
    }
    const ir::Path path = field_path(n.base, n.field);
    const SymbolId result = b_.fresh(n.target);
    access(AccessKind::Read, path, class_of_field(n.field), result, s);
    bind(n.target, LinearExpr(result), after_current());
  }
  void lower_stmt(FieldWrite& n, Stmt& s) {
    value(*n.value, "value");
    if (names_.program->is_volatile(n.field)) {
      base_symbol(n.base);
      return emit(ir::Release{});
    }
    access(AccessKind::Write, field_path(n.base, n.field), class_of_field(n.field), {}, s);
  }
  void lower_stmt(ArrayRead& n, Stmt& s) {
    const ir::Path path = element_path(n.base, *n.index);
    const SymbolId result = b_.fresh(n.target);
    access(AccessKind::Read, path, kArrays, result, s);
    bind(n.target, LinearExpr(result), after_current());
  }
  void lower_stmt(ArrayWrite& n, Stmt& s) {
    value(*n.value, "value");
    access(AccessKind::Write, element_path(n.base, *n.index), kArrays, {}, s);
  }

  void lower_stmt(Invoke& n, Stmt&) {
    ir::Call call;
    call.callee = names_.methods.at(n.method);
    call.receiver = LinearExpr(base_symbol(n.base));
    for (const ExprPtr& a : n.arguments) call.arguments.push_back(value(*a, "argument"));
    call.forks = n.fork;
    if (!n.target.empty()) call.result = b_.fresh(n.target);
    const auto result = call.result;
    emit(std::move(call));
    if (!n.fork && names_.throwing.contains(n.method)) unwinding_edge();
    if (result) bind(n.target, LinearExpr(*result), after_current());
  }

  // After a call that may throw: on to a new block, or to the innermost handler or out.
  void unwinding_edge() {
    const BlockId from = b_.block();
    const Anchor unwind{Anchor::Kind::Unwind, list_, index_, position_};
    BlockId target{};
    if (handlers_.empty()) {
      target = b_.new_block();
      b_.set_block(target);
      terminate(ir::Throw{}, unwind);
      b_.set_block(from);
    } else {
      target = handlers_.back()->block;
      arrive(*handlers_.back(), from);
    }
    const BlockId on = b_.new_block();
    terminate(ir::Choice{{on, target}}, anchor_);
    edge(from, target, unwind);
    edge(from, on, after_current());
    b_.set_block(on);
  }

  void lower_stmt(CheckStmt& n, Stmt&) {
    for (const CheckPath& p : n.paths) {
      ir::Check check;
      check.kind = p.is_write ? AccessKind::Write : AccessKind::Read;
      check.base = base_symbol(p.base);
      check.space = p.fields.empty() ? Space::Elements : Space::Fields;
      for (const std::string& f : p.fields) {
        check.ranges.push_back(logic::block(LinearExpr(field(f)), 1));
      }
      if (p.fields.empty()) {
        const LinearExpr begin = value(*p.begin, "index");
        check.ranges.push_back(p.end ? logic::make_range(begin, value(*p.end, "index"), p.step, 1)
                                     : logic::block(begin, 1));
      }
      written_.push_back({b_.block(), instruction_count(b_.block()), std::move(check)});
    }
  }

  void lower_stmt(If& n, Stmt&) {
    const Anchor outer = anchor_;
    Block& list = *list_;
    const std::size_t index = index_;
    ConditionFacts facts = condition(*n.condition);
    const BlockId from = b_.block();
    const BlockId then_start = b_.new_block();
    const BlockId else_start = b_.new_block();
    terminate(
        ir::Branch{then_start, else_start, std::move(facts.when_true), std::move(facts.when_false)},
        outer);
    Meeting join{BlockId{}, assigned_.in(*n.then_block), {}};
    const auto& in_else = assigned_.in(*n.else_block);
    join.variables.insert(in_else.begin(), in_else.end());
    const auto before = capture(join.variables);

    edge(from, then_start, insert_at(*n.then_block, 0));
    b_.set_block(then_start);
    lower_block(*n.then_block);
    const std::optional<BlockId> then_end = end_of_branch(join, *n.then_block);

    restore(before, insert_at(*n.else_block, 0));
    edge(from, else_start, insert_at(*n.else_block, 0));
    b_.set_block(else_start);
    lower_block(*n.else_block);
    const std::optional<BlockId> else_end = end_of_branch(join, *n.else_block);

    anchor_ = outer;
    join.block = b_.new_block();
    for (const auto& end : {then_end, else_end}) {
      if (!end) continue;
      b_.set_block(*end);
      terminate(ir::Jump{join.block}, branch_end_anchor_[*end]);
      edge(*end, join.block, branch_end_anchor_[*end]);
    }
    b_.set_block(join.block);
    here(list, index);
    if (join.arrivals.empty()) {
      terminate(ir::Halt{}, anchor_);  // neither branch goes on
    } else {
      merge(join, after_current());
    }
  }

  std::optional<BlockId> end_of_branch(Meeting& join, Block& list) {
    if (!reachable()) return std::nullopt;
    branch_end_anchor_[b_.block()] = insert_at(list, list.stmts.size());
    arrive(join, b_.block());
    return b_.block();
  }

  void lower_stmt(Loop& n, Stmt&) {
    const Anchor outer = anchor_;
    Block& list = *list_;
    const std::size_t index = index_;
    const BlockId pre = b_.block();
    const BlockId header = b_.new_block();
    terminate(ir::Jump{header}, outer);
    edge(pre, header, outer);
    const std::set<std::string> variables = assigned_.in(*n.body);
    const auto before = capture(variables);
    b_.set_block(header);
    const Anchor start = insert_at(*n.body, 0);
    std::map<std::string, SymbolId> phis;
    for (const std::string& v : variables) {
      phis[v] = b_.phi(v);
      b_.add_incoming(phis[v], pre, before.at(v));
      bind(v, LinearExpr(phis[v]), start);
    }
    Meeting exit{b_.new_block(), variables, {}};
    loops_.push_back(&exit);
    lower_block(*n.body);
    loops_.pop_back();
    if (reachable()) {
      const Anchor end = insert_at(*n.body, n.body->stmts.size());
      for (const auto& [v, phi] : phis) b_.add_incoming(phi, b_.block(), value_of(v));
      edge(b_.block(), header, end);
      terminate(ir::Jump{header}, end);
    }
    b_.set_block(exit.block);
    here(list, index);
    if (exit.arrivals.empty()) {
      terminate(ir::Halt{}, anchor_);  // the loop has no exit
    } else {
      merge(exit, after_current());
    }
  }

  void lower_stmt(Break& n, Stmt&) {
    Meeting& exit = *loops_.back();
    const BlockId from = b_.block();
    arrive(exit, from);
    if (!n.condition) {
      terminate(ir::Jump{exit.block}, anchor_);
      edge(from, exit.block, anchor_);
      return;
    }
    ConditionFacts facts = condition(*n.condition);
    const BlockId stay = b_.new_block();
    terminate(ir::Branch{exit.block, stay, std::move(facts.when_true), std::move(facts.when_false)},
              anchor_);
    edge(from, exit.block, {Anchor::Kind::Break, list_, index_, position_});
    edge(from, stay, after_current());
    b_.set_block(stay);
  }

  void lower_stmt(Try& n, Stmt&) {
    const Anchor outer = anchor_;
    Block& list = *list_;
    const std::size_t index = index_;
    Meeting handler{b_.new_block(), assigned_.in(*n.body), {}};
    Meeting join{b_.new_block(), assigned_.in(*n.body), {}};
    const auto& in_handler = assigned_.in(*n.handler);
    join.variables.insert(in_handler.begin(), in_handler.end());

    handlers_.push_back(&handler);
    lower_block(*n.body);
    handlers_.pop_back();
    leave_try(join, *n.body);

    b_.set_block(handler.block);
    if (handler.arrivals.empty()) {
      terminate(ir::Halt{}, outer);  // nothing in the body throws
    } else {
      merge(handler, insert_at(*n.handler, 0));
      lower_block(*n.handler);
      leave_try(join, *n.handler);
    }
    b_.set_block(join.block);
    here(list, index);
    if (join.arrivals.empty()) {
      terminate(ir::Halt{}, anchor_);
    } else {
      merge(join, after_current());
    }
  }

  void leave_try(Meeting& join, Block& list) {
    if (!reachable()) return;
    const Anchor end = insert_at(list, list.stmts.size());
    arrive(join, b_.block());
    terminate(ir::Jump{join.block}, end);
    edge(b_.block(), join.block, end);
  }

  void lower_stmt(Throw&, Stmt&) {
    if (handlers_.empty()) return terminate(ir::Throw{}, anchor_);
    Meeting& handler = *handlers_.back();
    arrive(handler, b_.block());
    edge(b_.block(), handler.block, anchor_);
    terminate(ir::Jump{handler.block}, anchor_);
  }
  void lower_stmt(Halt&, Stmt&) { terminate(ir::Halt{}, anchor_); }
  // Desugaring leaves none of these.
  void lower_stmt(While&, Stmt&) {}
  void lower_stmt(For&, Stmt&) {}

  // ---- Variables at meetings ----

  std::map<std::string, LinearExpr> capture(const std::set<std::string>& variables) {
    std::map<std::string, LinearExpr> values;
    for (const std::string& v : variables) values.emplace(v, value_of(v));
    return values;
  }
  void restore(const std::map<std::string, LinearExpr>& values, const Anchor& at) {
    for (const auto& [v, value] : values) bind(v, value, at);
  }
  void arrive(Meeting& m, BlockId from) { m.arrivals.emplace_back(from, capture(m.variables)); }

  void merge(Meeting& m, const Anchor& after) {
    for (const std::string& v : m.variables) {
      const LinearExpr& first = m.arrivals.front().second.at(v);
      const bool same = std::all_of(m.arrivals.begin(), m.arrivals.end(),
                                    [&](const auto& a) { return a.second.at(v) == first; });
      if (same) {
        bind(v, first, after);
        continue;
      }
      const SymbolId phi = b_.phi(v);
      for (const auto& [from, values] : m.arrivals) b_.add_incoming(phi, from, values.at(v));
      bind(v, LinearExpr(phi), after);
    }
  }

  // ---- The end ----

  void finish_body(Block& body, const std::string& result) {
    if (!reachable()) return;
    const Anchor end = insert_at(body, body.stmts.size());
    ir::Return ret;
    if (!result.empty()) ret.value = value_of(result);
    terminate(std::move(ret), end);
  }

  void rename_blocks(const ir::Function& f) {
    out_.anchors.resize(f.blocks.size());
    for (auto& [block, anchors] : raw_anchors_) {
      if (const auto id = b_.final_id(block)) out_.anchors[ir::index_of(*id)] = std::move(anchors);
    }
    for (const auto& [block, anchor] : terminator_anchor_) {
      const auto id = b_.final_id(block);
      if (!id) continue;
      auto& anchors = out_.anchors[ir::index_of(*id)];
      anchors.resize(f.block(*id).instructions.size());
      anchors.push_back(anchor);
    }
    for (const auto& [e, anchor] : raw_edges_) {
      const auto from = b_.final_id(e.first);
      const auto to = b_.final_id(e.second);
      if (from && to) out_.edge_anchors[{*from, *to}] = anchor;
    }
    for (auto it = out_.after_statement.begin(); it != out_.after_statement.end();) {
      if (const auto id = b_.final_id(it->second.point.block)) {
        it->second.point.block = *id;
        ++it;
      } else {
        it = out_.after_statement.erase(it);
      }
    }
    for (Written& w : written_) {
      if (const auto id = b_.final_id(w.block)) {
        out_.written_checks.checks.push_back(
            {ir::Point::before(*id, w.index), std::move(w.check), {}, "written"});
      }
    }
  }

  struct Written {
    BlockId block;
    std::size_t index;
    ir::Check check;
  };

  const Names& names_;
  AssignedVariables& assigned_;
  ir::FunctionBuilder b_;
  LoweredFunction out_;
  std::map<std::string, LinearExpr> env_;
  std::map<std::string, std::size_t> current_;  // variable -> open binding
  std::uint32_t position_ = 0;
  Block* list_ = nullptr;
  std::size_t index_ = 0;
  Anchor anchor_;
  std::map<BlockId, std::vector<Anchor>> raw_anchors_;
  std::map<BlockId, std::size_t> counts_;
  std::map<BlockId, Anchor> terminator_anchor_;
  std::map<BlockId, Anchor> branch_end_anchor_;
  std::map<std::pair<BlockId, BlockId>, Anchor> raw_edges_;
  std::map<SymbolId, LinearExpr> lengths_;
  std::map<SymbolId, ConditionFacts> remembered_;  // boolean variables and what they stand for
  std::vector<Meeting*> loops_;
  std::vector<Meeting*> handlers_;
  std::vector<Written> written_;
  bool shared_allowed_ = false;
  const std::set<std::string>* thread_assigns_ = nullptr;
};

void collect_fields(const Block& b, std::vector<std::string>& fields, std::set<std::string>& seen) {
  const auto add = [&](const std::string& f) {
    if (seen.insert(f).second) fields.push_back(f);
  };
  for (const StmtPtr& s : b.stmts) {
    std::visit(Overloaded{
                   [&](const FieldRead& n) { add(n.field); },
                   [&](const FieldWrite& n) { add(n.field); },
                   [&](const CheckStmt& n) {
                     for (const CheckPath& p : n.paths) {
                       for (const std::string& f : p.fields) add(f);
                     }
                   },
                   [&](const If& n) {
                     collect_fields(*n.then_block, fields, seen);
                     collect_fields(*n.else_block, fields, seen);
                   },
                   [&](const Loop& n) { collect_fields(*n.body, fields, seen); },
                   [&](const Try& n) {
                     collect_fields(*n.body, fields, seen);
                     collect_fields(*n.handler, fields, seen);
                   },
                   [](const auto&) {},
               },
               s->node);
  }
}

}  // namespace

const Anchor* Lowered::anchor_of(ir::FunctionId f, const ir::Point& point) const {
  const LoweredFunction& fn = functions[ir::index_of(f)];
  if (point.edge_to) {
    const auto it = fn.edge_anchors.find({point.block, *point.edge_to});
    return it == fn.edge_anchors.end() ? nullptr : &it->second;
  }
  const auto& anchors = fn.anchors[ir::index_of(point.block)];
  return point.index < anchors.size() && anchors[point.index].exists() ? &anchors[point.index]
                                                                       : nullptr;
}

Lowered lower(const Program& program) {
  Lowered result;
  result.source = desugar(program);
  Names names;
  names.program = &result.source;
  names.throwing = throwing_methods(result.source);
  std::set<std::string> seen;
  for (Class& c : result.source.classes) {
    for (const Field& f : c.fields) {
      if (seen.insert(f.name).second) result.field_names.push_back(f.name);
    }
    for (Method& m : c.methods) {
      names.methods[m.name] = ir::FunctionId(names.methods.size());
    }
  }
  for (Class& c : result.source.classes) {
    for (Method& m : c.methods) collect_fields(*m.body, result.field_names, seen);
  }
  for (Thread& t : result.source.threads) collect_fields(*t.body, result.field_names, seen);
  for (const std::string& f : result.field_names) {
    names.fields.emplace(f, static_cast<std::int64_t>(names.fields.size()));
  }

  AssignedVariables assigned;
  const auto keep = [&](FunctionLowering&& lowering) {
    auto [f, info] = lowering.finish();
    result.program.functions.push_back(std::move(f));
    result.functions.push_back(std::move(info));
  };
  for (Class& c : result.source.classes) {
    for (Method& m : c.methods) {
      FunctionLowering lowering(names, assigned, c.name + "." + m.name);
      lowering.method(m);
      keep(std::move(lowering));
    }
  }
  int number = 0;
  for (Thread& t : result.source.threads) {
    FunctionLowering lowering(names, assigned, "thread " + std::to_string(++number));
    lowering.thread(t);
    result.program.thread_entries.push_back(ir::FunctionId(result.program.functions.size()));
    keep(std::move(lowering));
  }
  return result;
}

}  // namespace bigfoot::bfj
