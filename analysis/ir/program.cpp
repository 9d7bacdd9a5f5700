#include "analysis/ir/program.h"

#include <algorithm>

namespace bigfoot::ir {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

}  // namespace

void Effects::join(const Effects& other) {
  acquires |= other.acquires;
  releases |= other.releases;
  may_not_return |= other.may_not_return;
  modifies_everything |= other.modifies_everything;
  std::vector<MemoryClass> merged;
  std::set_union(modifies.begin(), modifies.end(), other.modifies.begin(), other.modifies.end(),
                 std::back_inserter(merged));
  modifies.swap(merged);
}

std::vector<BlockId> successors(const Terminator& terminator) {
  return std::visit(Overloaded{
                        [](const Jump& t) { return std::vector<BlockId>{t.target}; },
                        [](const Branch& t) {
                          return std::vector<BlockId>{t.then_block, t.else_block};
                        },
                        [](const Choice& t) { return t.targets; },
                        [](const auto&) { return std::vector<BlockId>{}; },
                    },
                    terminator);
}

const std::vector<Atom>& edge_facts(const Terminator& terminator, BlockId target) {
  static const std::vector<Atom> kNone;
  const auto* branch = std::get_if<Branch>(&terminator);
  if (branch == nullptr) return kNone;
  return target == branch->then_block ? branch->then_facts : branch->else_facts;
}

LinearExpr incoming_value(const Function& function, const Phi& phi, BlockId to, BlockId from) {
  const auto& preds = function.block(to).predecessors;
  const auto it = std::find(preds.begin(), preds.end(), from);
  return phi.incoming[static_cast<std::size_t>(it - preds.begin())];
}

std::optional<SymbolId> defined_symbol(const Instruction& instruction) {
  return std::visit(Overloaded{
                        [](const Access& i) { return i.result; },
                        [](const Call& i) { return i.result; },
                        [](const Define& i) { return std::optional<SymbolId>(i.symbol); },
                        [](const Opaque& i) { return std::optional<SymbolId>(i.symbol); },
                        [](const auto&) { return std::optional<SymbolId>(); },
                    },
                    instruction);
}

}  // namespace bigfoot::ir
