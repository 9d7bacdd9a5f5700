#include "analysis/good_checks/spans.h"

namespace bigfoot::good_checks {
namespace {

using ir::BlockId;
using ir::Instruction;
using ir::LinearExpr;
using ir::Point;
using ir::SymbolId;

bool mentions(const Item& item, SymbolId s) {
  return item.path.base == s || item.path.range.mentions(s);
}

}  // namespace

Spans::Spans(const Subject& subject, ir::FunctionId function, logic::Entailment& entailment)
    : subject_(subject),
      id_(function),
      f_(subject.program.function(function)),
      cfg_(f_),
      k_(cfg_, entailment) {
  for (const ir::PlacedCheck& placed : subject.plans[index_of(function)]->checks) {
    for (const ir::Range& r : placed.check.ranges) {
      const Item item{placed.check.kind, {placed.check.base, placed.check.space, r}};
      checks_[placed.point].push_back(item);
      check_paths_.push_back(item);
    }
  }
  for (const ir::Block& b : f_.blocks) {
    for (const Instruction& i : b.instructions) {
      const auto* access = std::get_if<ir::Access>(&i);
      if (access != nullptr) access_paths_.push_back({access->kind, access->path});
    }
  }
}

Spans::Spans(const Subject& subject, ir::FunctionId function, logic::Entailment& entailment,
             bool thorough)
    : Spans(subject, function, entailment) {
  thorough_ = thorough;
  if (thorough) {
    for (const ir::Hint& h : subject.plans[index_of(function)]->hints) {
      hints_.push_back({h.kind, h.path});
    }
  }
  accessed_.emplace(k_, forward(false));
  checked_.emplace(k_, forward(true));
  will_access_.emplace(k_, backward(false));
  will_check_.emplace(k_, backward(true));
}

Spans::Spans(const Subject& subject, ir::FunctionId function, logic::Entailment& entailment,
             const Wanted& wanted)
    : Spans(subject, function, entailment) {
  wanted_ = wanted(k_);
  checked_.emplace(k_, forward(true));
  will_check_.emplace(k_, backward(true));
}

Spans::Walk::Walk(const Spans& spans, BlockId b)
    : spans_(spans),
      b_(b),
      accessed_(spans.accessed_ ? spans.accessed_->at_entry(b) : Items{}),
      checked_(spans.checked_->at_entry(b)),
      access_ahead_(spans.will_access_ ? spans.will_access_->at_exit(b) : Items{}),
      check_ahead_(spans.will_check_->at_exit(b)) {
  for (std::size_t i = spans.f_.block(b).instructions.size() + 1; i-- > 0;) {
    access_ahead_.begin_step();
    spans.step_backward(access_ahead_, b, i, false);
    if (i == 0) break;  // what is ahead after the first instruction, not before it
    check_ahead_.begin_step();
    spans.step_backward(check_ahead_, b, i, true);
  }
  add_checks_here();
}

bool Spans::Walk::at_end() const {
  return i_ == spans_.f_.block(b_).instructions.size();
}

void Spans::Walk::advance() {
  spans_.step_forward(accessed_, b_, i_, false);
  spans_.step_forward(checked_, b_, i_, true);
  ++i_;
  access_ahead_.undo_step();
  check_ahead_.undo_step();
  add_checks_here();
}

void Spans::Walk::add_checks_here() {
  const auto& here = spans_.checks_at(Point::before(b_, i_));
  checked_.insert(here.begin(), here.end());
}

Items Spans::access_ahead_on_edge(BlockId from, BlockId to) const {
  return will_access_->on_edge_backward(from, to);
}

const std::vector<Item>& Spans::checks_at(const Point& p) const {
  static const std::vector<Item> kNone;
  const auto it = checks_.find(p);
  return it == checks_.end() ? kNone : it->second;
}

void Spans::step_forward(Items& items, BlockId b, std::size_t i, bool checks) const {
  if (checks) {
    const auto& here = checks_at(Point::before(b, i));
    items.insert(here.begin(), here.end());
  }
  if (i == f_.block(b).instructions.size()) return;
  const Instruction& instruction = f_.block(b).instructions[i];
  if (subject_.effects.of(instruction).releases) items.clear();
  const auto* access = std::get_if<ir::Access>(&instruction);
  if (access != nullptr && !checks) items.insert({access->kind, access->path});
  if (const auto* call = std::get_if<ir::Call>(&instruction)) {
    for (Item& i2 : at_call(*call, false)) items.insert(std::move(i2));
  }
}

void Spans::step_backward(Journal& items, BlockId b, std::size_t i, bool checks) const {
  static const Items kNothing;
  if (i < f_.block(b).instructions.size()) {
    const Instruction& instruction = f_.block(b).instructions[i];
    const CallEffects e = subject_.effects.of(instruction);
    if (e.acquires || e.may_not_return) {
      items.assign(checks ? checked_before(b, i) : kNothing);
    }
    if (const auto x = defined_symbol(instruction)) {
      items.erase_if([&](const Item& item) { return mentions(item, *x); });
    }
    const auto* access = std::get_if<ir::Access>(&instruction);
    if (access != nullptr && !checks) items.insert({access->kind, access->path});
  }
  if (checks) {
    const auto& here = checks_at(Point::before(b, i));
    for (const Item& check : here) items.insert(check);
  }
}

// A check that was made in the present span covers every access since, so a covering check need
// not lie ahead on those ways where one lies behind. No acquire lies between an access and the
// point it is asked about, so a check between the two covers it as well.
const Items& Spans::checked_before(BlockId b, std::size_t i) const {
  auto [known, first] = checked_at_.try_emplace(b);
  if (first) {
    Items items = checked_->at_entry(b);
    const auto& instructions = f_.block(b).instructions;
    for (std::size_t at = 0; at < instructions.size(); ++at) {
      const CallEffects e = subject_.effects.of(instructions[at]);
      if (e.acquires || e.may_not_return) {
        Items& here = known->second.emplace(at, items).first->second;
        const auto& checks = checks_at(Point::before(b, at));
        here.insert(checks.begin(), checks.end());
      }
      step_forward(items, b, at, true);
    }
  }
  return known->second.at(i);
}

Flow Spans::forward(bool checks) {
  Flow flow;
  flow.direction = Flow::Direction::Forward;
  flow.through_block = [this, checks](BlockId b, const Items& in) {
    Items items = in;
    for (std::size_t i = 0; i <= f_.block(b).instructions.size(); ++i) {
      step_forward(items, b, i, checks);
    }
    return items;
  };
  flow.along_edge = [this, checks](BlockId from, BlockId to, Items items) {
    const auto& here = checks_at(Point::on_edge(from, to));
    if (checks) items.insert(here.begin(), here.end());
    return items;
  };
  flow.goals = check_paths_;
  flow.goals.insert(flow.goals.end(), wanted_.begin(), wanted_.end());
  flow.thorough = thorough_;
  if (thorough_) flow.goals.insert(flow.goals.end(), access_paths_.begin(), access_paths_.end());
  flow.goals.insert(flow.goals.end(), hints_.begin(), hints_.end());
  for (const ir::Block& b : f_.blocks) {
    for (const Instruction& i : b.instructions) {
      const auto* call = std::get_if<ir::Call>(&i);
      if (call == nullptr) continue;
      for (Item& wanted : at_call(*call, true)) flow.goals.push_back(std::move(wanted));
    }
  }
  const ir::Specification& own = specification(id_);
  for (const auto& [kind, path] : own.ensures_checked) flow.goals.push_back({kind, path});
  for (const auto& [kind, path] : own.requires_checked) flow.at_start.insert({kind, path});
  return flow;
}

Flow Spans::backward(bool checks) {
  Flow flow;
  flow.direction = Flow::Direction::Backward;
  flow.through_block = [this, checks](BlockId b, const Items& out) {
    Journal items(out);
    for (std::size_t i = f_.block(b).instructions.size() + 1; i-- > 0;) {
      step_backward(items, b, i, checks);
    }
    return items.now();
  };
  flow.along_edge = [this, checks](BlockId from, BlockId to, Items items) {
    const auto& here = checks_at(Point::on_edge(from, to));
    if (checks) items.insert(here.begin(), here.end());
    return items;
  };
  flow.goals = checks ? access_paths_ : check_paths_;
  flow.goals.insert(flow.goals.end(), wanted_.begin(), wanted_.end());
  flow.goals.insert(flow.goals.end(), hints_.begin(), hints_.end());
  flow.thorough = thorough_;
  flow.already = [this, checks](BlockId b) -> const Items& {
    static const Items kNothing;
    return checks ? checked_->at_exit(b) : kNothing;
  };
  flow.cut = [this](BlockId from, BlockId to) {
    if (!cfg_.is_retreating(from, to) || subject_.assume_termination) return false;
    const ir::Loop* loop = cfg_.loop_headed_by(to);
    return loop == nullptr || !loop->terminates;
  };
  return flow;
}

// A callee's specification in the caller's names; parts that cannot be said there are left out.
std::vector<Item> Spans::at_call(const ir::Call& call, bool required, bool* complete) const {
  std::vector<Item> items;
  if (!call.callee || call.forks) return items;
  const ir::Specification& of_callee = specification(*call.callee);
  const ir::Function& callee = subject_.program.function(*call.callee);
  std::vector<LinearExpr> actuals;
  if (call.receiver) actuals.push_back(*call.receiver);
  actuals.insert(actuals.end(), call.arguments.begin(), call.arguments.end());
  for (const ir::Specification::Item& i :
       required ? of_callee.requires_checked : of_callee.ensures_checked) {
    bool sayable = true;
    const auto actual = [&](SymbolId s) -> const LinearExpr* {
      for (std::size_t k = 0; k < callee.parameters.size() && k < actuals.size(); ++k) {
        if (callee.parameters[k] == s) return &actuals[k];
      }
      sayable = false;
      return nullptr;
    };
    Item item{i.kind, i.path};
    const LinearExpr base = LinearExpr(i.path.base).substitute(actual);
    item.path.range = i.path.range.substitute(actual);
    if (sayable && base.is_symbol()) {
      item.path.base = base.symbol();
      items.push_back(std::move(item));
    } else if (complete != nullptr) {
      *complete = false;
    }
  }
  return items;
}

}  // namespace bigfoot::good_checks
