#include "analysis/ir/verifier.h"

#include <algorithm>
#include <set>

#include "analysis/ir/cfg.h"

namespace bigfoot::ir {
namespace {

class Verifier {
 public:
  explicit Verifier(const Function& f) : f_(f), cfg_(f) {}

  std::vector<std::string> run() {
    if (!f_.block(kEntry).predecessors.empty()) fail(kEntry, "the entry block has predecessors");
    for (std::size_t i = 0; i < f_.blocks.size(); ++i) check_block(BlockId(i));
    return std::move(problems_);
  }

 private:
  void fail(BlockId b, const std::string& what) {
    problems_.push_back(f_.name + ", block " + std::to_string(index_of(b)) + ": " + what);
  }

  void check_block(BlockId id) {
    const Block& b = f_.block(id);
    std::set<SymbolId> here;  // defined so far in this block
    for (const Phi& phi : b.phis) {
      here.insert(phi.symbol);
      if (phi.incoming.size() != b.predecessors.size()) {
        fail(id, "phi " + f_.symbol(phi.symbol).name + " does not match the predecessors");
        continue;
      }
      for (std::size_t i = 0; i < phi.incoming.size(); ++i) {
        check_at_end(b.predecessors[i], phi.incoming[i], "phi operand");
      }
    }
    for (const Instruction& instruction : b.instructions) {
      if (const auto* access = std::get_if<Access>(&instruction)) {
        check_use(id, here, LinearExpr(access->path.base), "base");
        check_use(id, here, access->path.range.begin, "range");
        check_use(id, here, access->path.range.end, "range");
      } else if (const auto* call = std::get_if<Call>(&instruction)) {
        for (const LinearExpr& e : call->arguments) check_use(id, here, e, "argument");
      } else if (const auto* define = std::get_if<Define>(&instruction)) {
        check_use(id, here, define->value, "definition");
      }
      if (const auto symbol = defined_symbol(instruction)) {
        if (!defined_.insert(*symbol).second) {
          fail(id, "symbol " + f_.symbol(*symbol).name + " is defined twice");
        }
        here.insert(*symbol);
      }
    }
    check_terminator(id, b);
  }

  void check_terminator(BlockId id, const Block& b) {
    auto next = successors(b.terminator);
    std::sort(next.begin(), next.end());
    if (std::adjacent_find(next.begin(), next.end()) != next.end()) {
      fail(id, "two edges to the same block");
    }
    if (const auto* branch = std::get_if<Branch>(&b.terminator)) {
      for (const auto* facts : {&branch->then_facts, &branch->else_facts}) {
        for (const Atom& a : *facts) check_at_end(id, a.expr, "condition");
      }
    }
  }

  void check_use(BlockId id, const std::set<SymbolId>& here, const LinearExpr& e,
                 const char* what) {
    for (const auto& t : e.terms()) {
      if (!here.contains(t.symbol) && !cfg_.available_at_entry(t.symbol, id) &&
          !pure(t.symbol, id)) {
        fail(id,
             std::string(what) + " uses " + f_.symbol(t.symbol).name + " before its definition");
      }
    }
  }
  void check_at_end(BlockId id, const LinearExpr& e, const char* what) {
    if (!e.valid()) return fail(id, std::string(what) + " is not an expression");
    for (const auto& t : e.terms()) {
      if (!cfg_.dominates(f_.symbol(t.symbol).scope, id)) {
        fail(id, std::string(what) + " uses " + f_.symbol(t.symbol).name + " out of scope");
      }
    }
  }
  // Symbols that no instruction defines exist from the start of their scope.
  bool pure(SymbolId s, BlockId id) const { return f_.symbol(s).scope == id; }

  const Function& f_;
  Cfg cfg_;
  std::set<SymbolId> defined_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Function& function) {
  return Verifier(function).run();
}

}  // namespace bigfoot::ir
