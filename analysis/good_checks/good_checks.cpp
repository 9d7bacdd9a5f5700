#include "analysis/good_checks/good_checks.h"

#include <algorithm>

#include "analysis/good_checks/effects.h"
#include "analysis/good_checks/flow.h"
#include "analysis/ir/print.h"

namespace bigfoot::good_checks {
namespace {

using ir::AccessKind;
using ir::BlockId;
using ir::FunctionId;
using ir::Instruction;
using ir::LinearExpr;
using ir::Point;
using ir::SymbolId;
using Plans = std::vector<const ir::Plan*>;

bool mentions(const Item& item, SymbolId s) {
  return item.path.base == s || item.path.range.mentions(s);
}

// A thread starts with nothing checked, so what it runs first may not require anything.
std::optional<Rejection> threads_start_from_nothing(const ir::Program& program,
                                                    const Plans& plans) {
  std::vector<FunctionId> started = program.thread_entries;
  for (const ir::Function& f : program.functions) {
    for (const ir::Block& b : f.blocks) {
      for (const Instruction& i : b.instructions) {
        const auto* call = std::get_if<ir::Call>(&i);
        if (call != nullptr && call->callee && call->forks) started.push_back(*call->callee);
      }
    }
  }
  for (FunctionId f : started) {
    if (plans[index_of(f)]->specification.requires_checked.empty()) continue;
    return Rejection{"CC-METHOD",
                     f,
                     Point::before(ir::kEntry, 0),
                     "a thread starts here, and nobody has checked what is required",
                     std::nullopt,
                     plans[index_of(f)]->specification.requires_checked[0].path};
  }
  return std::nullopt;
}

// ---- One function ----

constexpr const char* kNotLegitimate =
    "the check is not legitimate: its path is neither accessed before it in this release-free span "
    "nor certain to be accessed before an acquire";

class Verifier {
 public:
  Verifier(const ir::Program& program, FunctionId id, const Plans& plans,
           const EffectTable& effects, logic::Entailment& entailment, const Options& options,
           bool thorough)
      : program_(program),
        id_(id),
        f_(program.function(id)),
        plans_(plans),
        effects_(effects),
        options_(options),
        cfg_(f_),
        k_(cfg_, entailment) {
    const ir::Plan& plan = *plans[index_of(id)];
    for (const ir::PlacedCheck& placed : plan.checks) {
      for (const ir::Range& r : placed.check.ranges) {
        const Item item{placed.check.kind, {placed.check.base, placed.check.space, r}};
        checks_[placed.point].push_back(item);
        check_paths_.push_back(item);
      }
    }
    thorough_ = thorough;
    if (thorough) {
      for (const ir::Hint& h : plan.hints) hints_.push_back({h.kind, h.path});
    }
    for (const ir::Block& b : f_.blocks) {
      for (const Instruction& i : b.instructions) {
        const auto* access = std::get_if<ir::Access>(&i);
        if (access != nullptr) access_paths_.push_back({access->kind, access->path});
      }
    }
  }

  std::optional<Rejection> run() {
    const Solution accessed(k_, forward(false));
    const Solution checked(k_, forward(true));
    checked_ = &checked;
    const Solution will_access(k_, backward(false));
    const Solution will_check(k_, backward(true));
    for (BlockId b : cfg_.order()) {
      if (auto r = verify_block(b, accessed, checked, will_access, will_check)) return r;
    }
    return std::nullopt;
  }

 private:
  const std::vector<Item>& checks_at(const Point& p) const {
    static const std::vector<Item> kNone;
    const auto it = checks_.find(p);
    return it == checks_.end() ? kNone : it->second;
  }
  const ir::Specification& specification(FunctionId f) const {
    return plans_[index_of(f)]->specification;
  }

  // ---- Transfer functions ----

  void step_forward(Items& items, BlockId b, std::size_t i, bool checks) const {
    if (checks) {
      const auto& here = checks_at(Point::before(b, i));
      items.insert(here.begin(), here.end());
    }
    if (i == f_.block(b).instructions.size()) return;
    const Instruction& instruction = f_.block(b).instructions[i];
    if (effects_.of(instruction).releases) items.clear();
    const auto* access = std::get_if<ir::Access>(&instruction);
    if (access != nullptr && !checks) items.insert({access->kind, access->path});
    if (const auto* call = std::get_if<ir::Call>(&instruction)) {
      for (Item& i2 : at_call(*call, false)) items.insert(std::move(i2));
    }
  }

  void step_backward(Items& items, BlockId b, std::size_t i, bool checks) const {
    if (i < f_.block(b).instructions.size()) {
      const Instruction& instruction = f_.block(b).instructions[i];
      const CallEffects e = effects_.of(instruction);
      if (e.acquires || e.may_not_return) {
        items = checks ? checked_before(b, i) : Items{};
      }
      if (const auto x = defined_symbol(instruction)) {
        std::erase_if(items, [&](const Item& item) { return mentions(item, *x); });
      }
      const auto* access = std::get_if<ir::Access>(&instruction);
      if (access != nullptr && !checks) items.insert({access->kind, access->path});
    }
    if (checks) {
      const auto& here = checks_at(Point::before(b, i));
      items.insert(here.begin(), here.end());
    }
  }

  // A check that was made in the present span covers every access since, so a covering check need
  // not lie ahead on those ways where one lies behind. No acquire lies between an access and the
  // point it is asked about, so a check between the two covers it as well.
  Items checked_before(BlockId b, std::size_t i) const {
    Items items = checked_->at_entry(b);
    for (std::size_t k = 0; k < i; ++k) step_forward(items, b, k, true);
    const auto& here = checks_at(Point::before(b, i));
    items.insert(here.begin(), here.end());
    return items;
  }

  Flow forward(bool checks) {
    Flow flow;
    flow.direction = Flow::Direction::Forward;
    flow.through_block = [this, checks](BlockId b, const Items& in) {
      Items items = in;
      for (std::size_t i = 0; i <= f_.block(b).instructions.size(); ++i) {
        step_forward(items, b, i, checks);
      }
      return items;
    };
    flow.along_edge = [this, checks](BlockId from, BlockId to, const Items& in) {
      Items items = in;
      const auto& here = checks_at(Point::on_edge(from, to));
      if (checks) items.insert(here.begin(), here.end());
      return items;
    };
    flow.goals = check_paths_;
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

  Flow backward(bool checks) {
    Flow flow;
    flow.direction = Flow::Direction::Backward;
    flow.through_block = [this, checks](BlockId b, const Items& out) {
      Items items = out;
      for (std::size_t i = f_.block(b).instructions.size() + 1; i-- > 0;) {
        step_backward(items, b, i, checks);
      }
      return items;
    };
    flow.along_edge = [this, checks](BlockId from, BlockId to, const Items& in) {
      Items items = in;
      const auto& here = checks_at(Point::on_edge(from, to));
      if (checks) items.insert(here.begin(), here.end());
      return items;
    };
    flow.goals = checks ? access_paths_ : check_paths_;
    flow.goals.insert(flow.goals.end(), hints_.begin(), hints_.end());
    flow.thorough = thorough_;
    flow.already = [this, checks](BlockId b) { return checks ? checked_->at_exit(b) : Items{}; };
    flow.cut = [this](BlockId from, BlockId to) {
      if (!cfg_.is_retreating(from, to) || options_.assume_termination) return false;
      const ir::Loop* loop = cfg_.loop_headed_by(to);
      return loop == nullptr || !loop->terminates;
    };
    return flow;
  }

  // A callee's specification in the caller's names; parts that cannot be said there are left out.
  std::vector<Item> at_call(const ir::Call& call, bool required, bool* complete = nullptr) const {
    std::vector<Item> items;
    if (!call.callee || call.forks) return items;
    const ir::Specification& of_callee = specification(*call.callee);
    const ir::Function& callee = program_.function(*call.callee);
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

  // ---- The judgement ----

  std::optional<Rejection> verify_block(BlockId b, const Solution& accessed,
                                        const Solution& checked, const Solution& will_access,
                                        const Solution& will_check) const {
    const std::size_t n = f_.block(b).instructions.size();
    // after[i]: backward facts just after the checks before instruction i (that is, before it).
    std::vector<Items> access_ahead(n + 1), check_ahead(n + 2);
    Items ahead = will_access.at_exit(b);
    Items checks_ahead = will_check.at_exit(b);
    check_ahead[n + 1] = checks_ahead;
    for (std::size_t i = n + 1; i-- > 0;) {
      step_backward(ahead, b, i, false);
      step_backward(checks_ahead, b, i, true);
      access_ahead[i] = ahead;
      check_ahead[i] = checks_ahead;
    }
    Items before = accessed.at_entry(b);
    Items checked_before = checked.at_entry(b);
    for (std::size_t i = 0; i <= n; ++i) {
      for (const Item& check : checks_at(Point::before(b, i))) {
        if (!k_.covered(check, {&before, &access_ahead[i]}, b, std::nullopt)) {
          return reject("CC-CHK", Point::before(b, i), kNotLegitimate, check.path);
        }
      }
      if (i < n) {
        if (auto r = verify_instruction(b, i, checked_before, check_ahead[i + 1])) return r;
      }
      step_forward(before, b, i, false);
      step_forward(checked_before, b, i, true);
    }
    if (auto r = verify_end(b, checked_before)) return r;
    for (BlockId s : successors(f_.block(b).terminator)) {
      const Items beyond = will_access.on_edge_backward(b, s);
      for (const Item& check : checks_at(Point::on_edge(b, s))) {
        if (!k_.covered(check, {&before, &beyond}, b, s)) {
          return reject("CC-CHK", Point::on_edge(b, s), kNotLegitimate, check.path);
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Rejection> verify_instruction(BlockId b, std::size_t i, Items checked_before,
                                              const Items& checked_later) const {
    const Instruction& instruction = f_.block(b).instructions[i];
    const auto& here = checks_at(Point::before(b, i));
    checked_before.insert(here.begin(), here.end());
    if (const auto* access = std::get_if<ir::Access>(&instruction)) {
      const Item item{access->kind, access->path};
      // A check after a read may not use the value read to name the path it covers; such facts are
      // gone from `checked_later` only before the read, which is right: the names exist after it.
      if (!k_.covered(item, {&checked_before, &checked_later}, b, std::nullopt)) {
        return uncovered(b, i, item, access->id);
      }
    }
    if (const auto* call = std::get_if<ir::Call>(&instruction)) {
      bool complete = true;
      const char* reason = "what the callee requires is not checked";
      for (const Item& required : at_call(*call, true, &complete)) {
        if (k_.covered(required, {&checked_before}, b, std::nullopt)) continue;
        return reject("CC-CALL", Point::before(b, i), reason, required.path);
      }
      if (!complete) return reject("CC-CALL", Point::before(b, i), reason, std::nullopt);
    }
    return std::nullopt;
  }

  std::optional<Rejection> verify_end(BlockId b, const Items& checked) const {
    const auto& terminator = f_.block(b).terminator;
    const bool leaves = std::holds_alternative<ir::Return>(terminator) ||
                        std::holds_alternative<ir::Throw>(terminator);
    if (!leaves) return std::nullopt;
    for (const auto& [kind, path] : specification(id_).ensures_checked) {
      if (!k_.covered({kind, path}, {&checked}, b, std::nullopt)) {
        return reject("CC-METHOD", Point::before(b, f_.block(b).instructions.size()),
                      "what the method ensures is not checked", path);
      }
    }
    return std::nullopt;
  }

  Rejection reject(std::string rule, Point point, std::string reason,
                   std::optional<ir::Path> path) const {
    return {std::move(rule), id_, point, std::move(reason), std::nullopt, std::move(path)};
  }

  // Looks for the first place after the access at which it can no longer be covered.
  Rejection uncovered(BlockId b, std::size_t i, const Item& item, ir::AccessId access) const {
    Rejection r = reject("CC-SUB", Point::before(b, i), "no check covers the access", item.path);
    r.access = access;
    std::set<BlockId> seen;
    std::vector<std::pair<BlockId, std::size_t>> work{{b, i + 1}};
    while (!work.empty()) {
      const auto [block, from] = work.front();
      work.erase(work.begin());
      const ir::Block& code = f_.block(block);
      bool checked = false;
      for (std::size_t at = from; at <= code.instructions.size() && !checked; ++at) {
        const auto& here = checks_at(Point::before(block, at));
        checked = std::any_of(here.begin(), here.end(), [&](const Item& c) {
          return c.path.base == item.path.base && c.kind >= item.kind;
        });
        if (at == code.instructions.size()) break;
        const CallEffects e = effects_.of(code.instructions[at]);
        if (!checked && (e.acquires || e.may_not_return)) {
          const bool call = std::holds_alternative<ir::Call>(code.instructions[at]);
          r.rule = call ? "CC-CALL" : "CC-ACQ";
          r.point = Point::before(block, at);
          r.reason = "an access is still unchecked here";
          return r;
        }
      }
      if (checked) continue;
      const auto next = successors(code.terminator);
      if (next.empty()) {
        r.rule = "CC-STMT";
        r.point = Point::before(block, code.instructions.size());
        r.reason = "an access is still unchecked at the end";
        return r;
      }
      for (BlockId s : next) {
        if (cfg_.is_retreating(block, s)) {
          r.rule = "CC-LOOP";
          r.point = Point::on_edge(block, s);
          r.reason = "an access is still unchecked when the loop goes round";
        } else if (seen.insert(s).second) {
          work.emplace_back(s, 0);
        }
      }
    }
    return r;
  }

  const ir::Program& program_;
  FunctionId id_;
  const ir::Function& f_;
  const Plans& plans_;
  const EffectTable& effects_;
  const Options& options_;
  ir::Cfg cfg_;
  Knowledge k_;
  bool thorough_ = false;
  const Solution* checked_ = nullptr;  // set before the backward flows run
  std::map<Point, std::vector<Item>> checks_;
  std::vector<Item> check_paths_, access_paths_, hints_;
};

std::vector<Rejection> judge(const ir::Program& program, const Plans& plans,
                             logic::Entailment& entailment, const Options& options,
                             std::size_t enough) {
  if (auto rejection = threads_start_from_nothing(program, plans)) return {std::move(*rejection)};
  const EffectTable effects(program, options.assume_termination);
  std::vector<Rejection> found;
  for (std::size_t i = 0; i < plans.size() && found.size() < enough; ++i) {
    // Trying every candidate everywhere costs time and is needed for a few functions in a thousand:
    // only if the likely ones do not suffice.
    std::optional<Rejection> rejection;
    for (const bool thorough : {false, true}) {
      Verifier verifier(program, FunctionId(i), plans, effects, entailment, options, thorough);
      rejection = verifier.run();
      if (!rejection) break;
    }
    if (rejection) found.push_back(std::move(*rejection));
  }
  return found;
}

}  // namespace

std::optional<Rejection> verify(const ir::Program& program, const Plans& plans,
                                logic::Entailment& entailment, const Options& options) {
  std::vector<Rejection> found = judge(program, plans, entailment, options, 1);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<Rejection> verify_each(const ir::Program& program, const Plans& plans,
                                   logic::Entailment& entailment, const Options& options) {
  return judge(program, plans, entailment, options, plans.size());
}

std::string format(const ir::Program& program, const Rejection& r) {
  std::string text = r.rule + " fails in " + program.function(r.function).name + ", block " +
                     std::to_string(index_of(r.point.block));
  if (r.point.edge_to) {
    text += " on the edge to block " + std::to_string(index_of(*r.point.edge_to));
  } else {
    text += " before instruction " + std::to_string(r.point.index);
  }
  if (r.access) text += " (access " + std::to_string(index_of(*r.access)) + ")";
  text += ": " + r.reason;
  if (r.path) text += ": " + ir::print(program.function(r.function), *r.path);
  return text;
}

}  // namespace bigfoot::good_checks
