#include "analysis/good_checks/good_checks.h"

#include <algorithm>

#include "analysis/good_checks/spans.h"
#include "analysis/ir/print.h"

namespace bigfoot::good_checks {
namespace {

using ir::BlockId;
using ir::FunctionId;
using ir::Instruction;
using ir::Point;
using Plans = std::vector<const ir::Plan*>;

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

// Which values exist where. A check that names one that does not exist can mean nothing, however
// empty its range is.
class Names {
 public:
  explicit Names(const ir::Cfg& cfg) : cfg_(cfg), defined_by_(cfg.function().symbols.size(), 0) {
    for (const ir::Block& b : cfg.function().blocks) {
      for (std::size_t i = 0; i < b.instructions.size(); ++i) {
        const auto s = defined_symbol(b.instructions[i]);
        if (s) defined_by_[index_of(*s)] = i + 1;
      }
    }
  }
  bool exist(const ir::Path& path, const Point& at) const {
    return exists(path.base, at) && all_exist(path.range.begin, at) &&
           all_exist(path.range.end, at);
  }

 private:
  bool all_exist(const ir::LinearExpr& e, const Point& at) const {
    return std::all_of(e.terms().begin(), e.terms().end(),
                       [&](const auto& t) { return exists(t.symbol, at); });
  }
  bool exists(ir::SymbolId s, const Point& at) const {
    const BlockId scope = cfg_.function().symbol(s).scope;
    if (scope == at.block) return at.edge_to || defined_by_[index_of(s)] <= at.index;
    return cfg_.dominates(scope, at.block);
  }

  const ir::Cfg& cfg_;
  std::vector<std::size_t> defined_by_;  // by symbol: 1 + the instruction; 0: none, or a phi
};

constexpr const char* kUnnamed = "the check names a value that does not exist here";
constexpr const char* kNotLegitimate =
    "the check is not legitimate: its path is neither accessed before it in this release-free span "
    "nor certain to be accessed before an acquire";

class Verifier {
 public:
  explicit Verifier(const Spans& spans)
      : spans_(spans), f_(spans.function()), names_(spans.cfg()) {}

  std::optional<Rejection> run() const {
    for (BlockId b : spans_.cfg().order()) {
      if (auto r = verify_block(b)) return r;
    }
    return std::nullopt;
  }

 private:
  std::optional<Rejection> verify_block(BlockId b) const {
    Spans::Walk here(spans_, b);
    for (;; here.advance()) {
      const Point point = Point::before(b, here.index());
      for (const Item& check : spans_.checks_at(point)) {
        if (!names_.exist(check.path, point)) return reject("CC-CHK", point, kUnnamed, check.path);
        if (!legitimate(check, here.accessed_before(), here.access_ahead(), b, std::nullopt)) {
          return reject("CC-CHK", point, kNotLegitimate, check.path);
        }
      }
      if (here.at_end()) break;
      if (auto r = verify_instruction(b, here)) return r;
    }
    if (auto r = verify_end(b, here.checked_before())) return r;
    for (BlockId s : successors(f_.block(b).terminator)) {
      const Items beyond = spans_.access_ahead_on_edge(b, s);
      const Point edge = Point::on_edge(b, s);
      for (const Item& check : spans_.checks_at(edge)) {
        if (!names_.exist(check.path, edge)) return reject("CC-CHK", edge, kUnnamed, check.path);
        if (!legitimate(check, here.accessed_before(), beyond, b, s)) {
          return reject("CC-CHK", edge, kNotLegitimate, check.path);
        }
      }
    }
    return std::nullopt;
  }

  bool legitimate(const Item& check, const Items& before, const Items& ahead, BlockId b,
                  std::optional<BlockId> to) const {
    return spans_.knowledge().covered(check, {&before, &ahead}, b, to);
  }

  std::optional<Rejection> verify_instruction(BlockId b, const Spans::Walk& here) const {
    const std::size_t i = here.index();
    const Instruction& instruction = f_.block(b).instructions[i];
    if (const auto* access = std::get_if<ir::Access>(&instruction)) {
      const Item item{access->kind, access->path};
      // A check after a read may not use the value read to name the path it covers; such facts are
      // gone from what is ahead only before the read, which is right: the names exist after it.
      if (!spans_.covered_at(item, here, b)) return uncovered(b, i, item, access->id);
    }
    if (const auto* call = std::get_if<ir::Call>(&instruction)) {
      bool complete = true;
      const char* reason = "what the callee requires is not checked";
      for (const Item& required : spans_.at_call(*call, true, &complete)) {
        if (spans_.knowledge().covered(required, {&here.checked_before()}, b, std::nullopt)) {
          continue;
        }
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
    for (const auto& [kind, path] : spans_.specification(spans_.id()).ensures_checked) {
      if (!spans_.knowledge().covered({kind, path}, {&checked}, b, std::nullopt)) {
        return reject("CC-METHOD", Point::before(b, f_.block(b).instructions.size()),
                      "what the method ensures is not checked", path);
      }
    }
    return std::nullopt;
  }

  Rejection reject(std::string rule, Point point, std::string reason,
                   std::optional<ir::Path> path) const {
    return {std::move(rule), spans_.id(), point, std::move(reason), std::nullopt, std::move(path)};
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
        const auto& here = spans_.checks_at(Point::before(block, at));
        checked = std::any_of(here.begin(), here.end(), [&](const Item& c) {
          return c.path.base == item.path.base && c.kind >= item.kind;
        });
        if (at == code.instructions.size()) break;
        const CallEffects e = spans_.effects().of(code.instructions[at]);
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
        if (spans_.cfg().is_retreating(block, s)) {
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

  const Spans& spans_;
  const ir::Function& f_;
  Names names_;
};

std::vector<Rejection> judge(const ir::Program& program, const Plans& plans,
                             logic::Entailment& entailment, const Options& options,
                             std::size_t enough) {
  if (auto rejection = threads_start_from_nothing(program, plans)) return {std::move(*rejection)};
  const EffectTable effects(program, options.assume_termination);
  const Subject subject{program, plans, effects, options.assume_termination};
  std::vector<Rejection> found;
  for (std::size_t i = 0; i < plans.size() && found.size() < enough; ++i) {
    std::optional<Rejection> rejection;
    for (const bool thorough : {false, true}) {
      const Spans spans(subject, FunctionId(i), entailment, thorough);
      rejection = Verifier(spans).run();
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
