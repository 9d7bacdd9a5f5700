#include "frontends/bfj/lower.h"

#include <algorithm>
#include <set>

#include "frontends/bfj/desugar.h"
#include "frontends/bfj/lower_expressions.h"
#include "frontends/bfj/names.h"

namespace bigfoot::bfj {
namespace {

using ir::AccessKind;
using ir::BlockId;
using ir::LinearExpr;
using ir::Space;
using ir::SymbolId;

// Where control and variables come together: the end of a loop, the start of a handler.
struct Meeting {
  BlockId block;
  std::set<std::string> variables;
  std::vector<std::pair<BlockId, std::map<std::string, LinearExpr>>> arrivals;
};

class FunctionLowering : public ExpressionLowering {
 public:
  FunctionLowering(const Names& names, AssignedVariables& assigned, std::string owner)
      : ExpressionLowering(names, std::move(owner)), assigned_(assigned) {}

  void method(Method& m) {
    const Anchor start{Anchor::Kind::Insert, m.body.get(), 0, next_position()};
    bind("this", LinearExpr(b_.parameter("this")), start);
    for (const std::string& p : m.parameters) bind(p, LinearExpr(b_.parameter(p)), start);
    lower_block(*m.body);
    finish_body(*m.body, m.result);
  }

  void thread(Thread& t) {
    allow_shared_names(assigned_.in(*t.body));
    lower_block(*t.body);
    finish_body(*t.body, {});
  }

 private:
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
    set_length(s, length);
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
    read(path, class_of_field(n.field), result, s);
    bind(n.target, LinearExpr(result), after_current());
  }
  void lower_stmt(FieldWrite& n, Stmt& s) {
    const LinearExpr stored = value(*n.value, "value");
    if (names_.program->is_volatile(n.field)) {
      base_symbol(n.base);
      return emit(ir::Release{});
    }
    write(field_path(n.base, n.field), class_of_field(n.field), stored, s);
  }
  void lower_stmt(ArrayRead& n, Stmt& s) {
    const ir::Path path = element_path(n.base, *n.index);
    const SymbolId result = b_.fresh(n.target);
    read(path, kArrays, result, s);
    bind(n.target, LinearExpr(result), after_current());
  }
  void lower_stmt(ArrayWrite& n, Stmt& s) {
    const LinearExpr stored = value(*n.value, "value");
    write(element_path(n.base, *n.index), kArrays, stored, s);
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
      note_check(std::move(check));
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

  AssignedVariables& assigned_;
  std::map<BlockId, Anchor> branch_end_anchor_;
  std::vector<Meeting*> loops_;
  std::vector<Meeting*> handlers_;
};

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
  for (Class& c : result.source.classes) {
    for (Method& m : c.methods) {
      names.methods[m.name] = ir::FunctionId(names.methods.size());
    }
  }
  result.field_names = field_names(result.source);
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
