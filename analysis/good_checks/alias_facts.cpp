#include "analysis/good_checks/alias_facts.h"

#include <algorithm>
#include <map>
#include <set>

namespace bigfoot::good_checks {
namespace {

using ir::BlockId;
using ir::LinearExpr;
using ir::SymbolId;

// What code may do to what memory holds, seen from one thread: after a release others may write.
struct Changes {
  bool anything = false;
  std::set<ir::MemoryClass> classes;

  void add(const Changes& other) {
    anything |= other.anything;
    classes.insert(other.classes.begin(), other.classes.end());
  }
  bool operator==(const Changes&) const = default;
};

class ChangeTable {
 public:
  explicit ChangeTable(const ir::Program& program) : of_(program.functions.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t f = 0; f < of_.size(); ++f) {
        Changes now;
        for (const ir::Block& b : program.functions[f].blocks) {
          for (const ir::Instruction& i : b.instructions) now.add(by(i));
        }
        changed |= !(now == of_[f]);
        of_[f] = std::move(now);
      }
    }
  }

  bool may_change(const ir::Instruction& instruction, ir::MemoryClass c) const {
    const auto* call = std::get_if<ir::Call>(&instruction);
    if (call != nullptr && call->callee && !call->forks) {
      const Changes& callee = of_[index_of(*call->callee)];
      return callee.anything || callee.classes.contains(c);
    }
    const Changes own = by(instruction);
    return own.anything || own.classes.contains(c);
  }

 private:
  Changes by(const ir::Instruction& instruction) const {
    if (std::holds_alternative<ir::Release>(instruction)) return {true, {}};
    if (const auto* a = std::get_if<ir::Access>(&instruction)) {
      if (a->kind == ir::AccessKind::Write) return {false, {a->memory_class}};
      return {};
    }
    const auto* call = std::get_if<ir::Call>(&instruction);
    if (call == nullptr) return {};
    if (call->forks) return {true, {}};
    if (call->callee) return of_[index_of(*call->callee)];
    const ir::Effects& e = call->effects;
    return {e.releases || e.modifies_everything, {e.modifies.begin(), e.modifies.end()}};
  }

  std::vector<Changes> of_;
};

class FunctionAliases {
 public:
  FunctionAliases(const ir::AliasedFunction& aliased, const ChangeTable& changes)
      : aliased_(aliased), f_(aliased.function), changes_(changes) {}

  // The read before which the place need not hold the value, if there is one.
  std::optional<std::pair<ir::Point, ir::AccessId>> first_wrong() const {
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      const auto& instructions = f_.blocks[b].instructions;
      for (std::size_t i = 0; i < instructions.size(); ++i) {
        const auto* read = std::get_if<ir::Access>(&instructions[i]);
        if (read == nullptr || !read->result || canonical(*read->result) == *read->result) continue;
        if (!holds(*read, canonical(*read->result), BlockId(b), i)) {
          return std::pair(ir::Point::before(BlockId(b), i), read->id);
        }
      }
    }
    return std::nullopt;
  }

  // Values of the original as they are named here.
  LinearExpr canonical(const LinearExpr& e) const {
    std::map<SymbolId, LinearExpr> values;
    for (const auto& t : e.terms()) values.emplace(t.symbol, canonical(t.symbol));
    return e.substitute([&](SymbolId s) -> const LinearExpr* { return &values.at(s); });
  }

 private:
  SymbolId canonical(SymbolId s) const {
    const auto it = aliased_.same_as.find(s);
    return it == aliased_.same_as.end() ? s : it->second;
  }

  enum class Answer : std::uint8_t { Yes, No, AskBefore };
  // Whether the place holds the value just after the instruction.
  Answer after(const ir::Instruction& instruction, const ir::Access& place, SymbolId value) const {
    if (const auto* a = std::get_if<ir::Access>(&instruction); a && a->path == place.path) {
      if (a->result && canonical(*a->result) == value) return Answer::Yes;
      return a->stored && canonical(*a->stored) == value ? Answer::Yes : Answer::No;
    }
    if (changes_.may_change(instruction, place.memory_class)) return Answer::No;
    const auto defined = defined_symbol(instruction);
    return defined && mentions(place.path, *defined) ? Answer::No : Answer::AskBefore;
  }
  static bool mentions(const ir::Path& p, SymbolId s) { return p.base == s || p.range.mentions(s); }

  // Whether the place holds the value before instruction `index`. A way that comes back to where it
  // was has changed nothing.
  bool holds(const ir::Access& place, SymbolId value, BlockId block, std::size_t index) const {
    std::set<std::pair<BlockId, SymbolId>> asked_at_end;
    struct Question {
      BlockId block;
      std::size_t index;
      SymbolId value;
    };
    std::vector<Question> questions{{block, index, value}};
    while (!questions.empty()) {
      const Question q = questions.back();
      questions.pop_back();
      Answer answer = Answer::AskBefore;
      for (std::size_t i = q.index; i-- > 0 && answer == Answer::AskBefore;) {
        answer = after(f_.block(q.block).instructions[i], place, q.value);
      }
      if (answer == Answer::No) return false;
      if (answer == Answer::Yes) continue;
      const ir::Block& b = f_.block(q.block);
      if (b.predecessors.empty()) return false;
      for (BlockId p : b.predecessors) {
        SymbolId before = q.value;
        for (const ir::Phi& phi : b.phis) {
          if (mentions(place.path, phi.symbol)) return false;
          if (phi.symbol != q.value) continue;
          const LinearExpr incoming = canonical(incoming_value(f_, phi, q.block, p));
          if (!incoming.is_symbol()) return false;
          before = incoming.symbol();
        }
        if (asked_at_end.emplace(p, before).second) {
          questions.push_back({p, f_.block(p).instructions.size(), before});
        }
      }
    }
    return true;
  }

  const ir::AliasedFunction& aliased_;
  const ir::Function& f_;
  const ChangeTable& changes_;
};

// Both in the names of `aliases`. What placement looks at: accesses, what is passed on, and
// branches.
class Comparison {
 public:
  explicit Comparison(const FunctionAliases& aliases) : aliases_(aliases) {}

  bool same(const ir::Block& a, const ir::Block& b) const {
    return std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                      b.instructions.end(),
                      [&](const auto& x, const auto& y) { return same(x, y); }) &&
           same(a.terminator, b.terminator);
  }

 private:
  bool same(const LinearExpr& a, const LinearExpr& b) const {
    return aliases_.canonical(a) == aliases_.canonical(b);
  }
  bool same(const ir::Instruction& x, const ir::Instruction& y) const {
    if (x.index() != y.index()) return false;
    if (const auto* a = std::get_if<ir::Access>(&x)) {
      const auto& b = std::get<ir::Access>(y);
      return a->id == b.id && a->kind == b.kind && a->memory_class == b.memory_class &&
             a->result == b.result && a->path.space == b.path.space &&
             a->path.range.step == b.path.range.step && a->path.range.width == b.path.range.width &&
             same(a->path.base, b.path.base) && same(a->path.range.begin, b.path.range.begin) &&
             same(a->path.range.end, b.path.range.end);
    }
    if (const auto* a = std::get_if<ir::Call>(&x)) {
      const auto& b = std::get<ir::Call>(y);
      return a->callee == b.callee && a->forks == b.forks && a->effects == b.effects &&
             a->receiver.has_value() == b.receiver.has_value() &&
             (!a->receiver || same(*a->receiver, *b.receiver)) &&
             std::equal(a->arguments.begin(), a->arguments.end(), b.arguments.begin(),
                        b.arguments.end(),
                        [&](const auto& p, const auto& q) { return same(p, q); });
    }
    return true;
  }
  bool same(const ir::Terminator& x, const ir::Terminator& y) const {
    if (x.index() != y.index() || successors(x) != successors(y)) return false;
    const auto* a = std::get_if<ir::Branch>(&x);
    if (a == nullptr) return true;
    const auto& b = std::get<ir::Branch>(y);
    return same(a->then_facts, b.then_facts) && same(a->else_facts, b.else_facts);
  }
  bool same(const std::vector<ir::Atom>& a, const std::vector<ir::Atom>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const ir::Atom& x, const ir::Atom& y) {
                        return x.kind == y.kind && x.modulus == y.modulus && same(x.expr, y.expr);
                      });
  }

  const FunctionAliases& aliases_;
};

}  // namespace

std::optional<Rejection> verify_aliases(const ir::Program& original,
                                        const std::vector<const ir::AliasedFunction*>& aliased) {
  const ChangeTable changes(original);
  for (std::size_t f = 0; f < aliased.size(); ++f) {
    const FunctionAliases aliases(*aliased[f], changes);
    if (const auto wrong = aliases.first_wrong()) {
      return Rejection{
          "ALIAS",       ir::FunctionId(f),
          wrong->first,  "its place may hold another value than the read is said to give",
          wrong->second, std::nullopt};
    }
    const auto& before = original.functions[f].blocks;
    const auto& after = aliased[f]->function.blocks;
    for (std::size_t b = 0; b < std::max(before.size(), after.size()); ++b) {
      if (b < before.size() && b < after.size() && Comparison(aliases).same(before[b], after[b])) {
        continue;
      }
      return Rejection{"ALIAS",
                       ir::FunctionId(f),
                       ir::Point::before(BlockId(b), 0),
                       "the block differs from its original in more than equal values",
                       std::nullopt,
                       std::nullopt};
    }
  }
  return std::nullopt;
}

}  // namespace bigfoot::good_checks
