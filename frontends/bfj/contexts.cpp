#include "frontends/bfj/contexts.h"

#include <algorithm>
#include <map>
#include <memory>

namespace bigfoot::bfj {
namespace {

using ir::Atom;
using ir::LinearExpr;

class ContextWriter {
 public:
  explicit ContextWriter(const PlacedProgram& placed) : placed_(placed) {
    for (std::size_t f = 0; f < placed.functions.size(); ++f) {
      namers_.emplace_back(placed.functions[f], &placed.placement.functions[f].analysed);
      for (const auto& [stmt, after] : placed.functions[f].after_statement) {
        after_[stmt] = {f, after.point, after.position, false};
      }
    }
    for (const auto& i : placed.inserted) {
      const std::size_t f = ir::index_of(i.function);
      after_[i.stmt] = {f, i.point, position(f, i.point), true};
    }
  }

  std::string operator()(const Stmt& s) const {
    const auto it = after_.find(&s);
    if (it == after_.end()) return {};
    const auto& [f, point, at, is_check] = it->second;
    const auto& contexts = placed_.placement.functions[f].contexts;
    const auto& at_block = contexts[ir::index_of(point.block)];
    const std::size_t index = point.edge_to ? at_block.size() - 1 : point.index;
    if (index >= at_block.size()) return {};
    placement::PointContext context = at_block[index];
    if (is_check) add_checks_at(f, point, context);
    return text(f, context, at);
  }

 private:
  struct Place {
    std::size_t function;
    ir::Point point;
    std::uint32_t position;
    bool is_check;
  };

  void add_checks_at(std::size_t f, const ir::Point& point,
                     placement::PointContext& context) const {
    for (const ir::PlacedCheck& c : placed_.placement.functions[f].plan.checks) {
      if (c.point != point) continue;
      for (const ir::Range& r : c.check.ranges) {
        context.past_checks.insert({c.check.kind, {c.check.base, c.check.space, r}, {}});
      }
    }
  }

  std::uint32_t position(std::size_t f, const ir::Point& point) const {
    const LoweredFunction& fn = placed_.functions[f];
    if (point.edge_to) {
      const auto it = fn.edge_anchors.find({point.block, *point.edge_to});
      return it == fn.edge_anchors.end() ? 0 : it->second.position;
    }
    const auto& anchors = fn.anchors[ir::index_of(point.block)];
    return point.index < anchors.size() ? anchors[point.index].position : 0;
  }

  std::string text(std::size_t f, const placement::PointContext& c, std::uint32_t at) const {
    std::vector<std::string> history;
    for (const Atom& a : c.booleans) {
      if (auto t = atom(f, a, at)) history.push_back(*t);
    }
    for (std::string& t : definitions(f, at)) history.push_back(std::move(t));
    std::sort(history.begin(), history.end());
    history.erase(std::unique(history.begin(), history.end()), history.end());
    for (std::string& t : paths(f, c.past_accesses, "<", at)) history.push_back(std::move(t));
    for (std::string& t : paths(f, c.past_checks, "v", at)) history.push_back(std::move(t));
    return braces(history) + " . " + braces(paths(f, c.anticipated, "<>", at));
  }

  // [ASSIGN]: variables that are worth an expression of others.
  std::vector<std::string> definitions(std::size_t f, std::uint32_t at) const {
    std::vector<std::string> result;
    for (const Binding& b : placed_.functions[f].bindings) {
      if (at < b.from || at >= b.to || b.value.is_symbol()) continue;
      if (b.value.is_constant()) {
        if (!b.assigned) continue;  // the null every variable starts with
        result.push_back(b.variable + " == " + std::to_string(b.value.constant()));
      } else if (b.value.terms().size() == 1 && b.value.terms()[0].coefficient == 1) {
        const std::string* root = namers_[f].variable(b.value.terms()[0].symbol, at);
        const std::int64_t c = b.value.constant();
        if (root == nullptr) continue;
        result.push_back(b.variable + " == " + *root + (c < 0 ? " - " : " + ") +
                         std::to_string(c < 0 ? -c : c));
      }
    }
    return result;
  }

  static std::string braces(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& i : items) text += (text.empty() ? "" : ", ") + i;
    return "{" + text + "}";
  }

  std::vector<std::string> paths(std::size_t f, const placement::FactSet& set, const char* mark,
                                 std::uint32_t at) const {
    std::vector<std::string> result;
    for (const placement::PathFact& p : set.facts()) {
      const std::string* base = namers_[f].variable(p.path.base, at);
      std::string text = base ? *base : "_";
      if (p.path.space == ir::Space::Fields) {
        text += "." + placed_.field_names[static_cast<std::size_t>(p.path.range.begin.constant())];
      } else {
        text += "[" + expr(f, p.path.range.begin, at);
        if (p.path.range.constant_length().value_or(0) != 1) {
          text += ".." + expr(f, p.path.range.end, at);
        }
        if (p.path.range.step != 1) text += ":" + std::to_string(p.path.range.step);
        text += "]";
      }
      result.push_back(text + mark + (p.kind == ir::AccessKind::Write ? "!" : ""));
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  std::string expr(std::size_t f, const LinearExpr& e, std::uint32_t at) const {
    const ExprPtr named = namers_[f].name(e, at);
    return named ? print(*named) : "_";
  }

  // x + c >= 0 and so on, as a comparison of two sums without minus signs.
  std::optional<std::string> atom(std::size_t f, const Atom& a, std::uint32_t at) const {
    LinearExpr left, right;
    for (const auto& t : a.expr.terms()) {
      (t.coefficient > 0 ? left : right) =
          (t.coefficient > 0 ? left : right)
              .plus_scaled(LinearExpr(t.symbol),
                           t.coefficient > 0 ? t.coefficient : -t.coefficient);
    }
    std::int64_t constant = a.expr.constant();
    const char* op = " >= ";
    if (a.kind == Atom::Kind::Zero) op = " == ";
    if (a.kind == Atom::Kind::NonZero) op = " != ";
    if (a.kind == Atom::Kind::NonNegative && constant == -1) {
      op = " > ";
      constant = 0;
    }
    right = right - constant;
    if (left.is_constant()) {
      // 0 >= right: turn round for reading.
      std::swap(left, right);
      if (op == std::string(" >= ")) op = " <= ";
      if (op == std::string(" > ")) op = " < ";
    }
    if (a.kind == Atom::Kind::Divisible) {
      const ExprPtr whole = namers_[f].name(a.expr, at);
      if (!whole) return std::nullopt;
      return print(*whole) + " % " + std::to_string(a.modulus) + " == 0";
    }
    const ExprPtr l = namers_[f].name(left, at);
    const ExprPtr r = namers_[f].name(right, at);
    if (!l || !r) return std::nullopt;
    return print(*l) + op + print(*r);
  }

  const PlacedProgram& placed_;
  std::vector<Namer> namers_;
  std::map<const Stmt*, Place> after_;
};

}  // namespace

Annotator context_annotator(const PlacedProgram& placed) {
  auto writer = std::make_shared<ContextWriter>(placed);
  return [writer](const Stmt& s) { return (*writer)(s); };
}

}  // namespace bigfoot::bfj
