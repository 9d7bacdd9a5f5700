// What branch conditions say about symbols. The machine compares modulo 2^64, facts are about
// integers: what makes the step from one to the other is given for each kind of comparison.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PatternMatch.h>

#include "frontends/llvm/lower/symbols.h"

namespace bigfoot::frontend {

using ir::Atom;
using ir::LinearExpr;

bool Symbols::knows(const llvm::SCEV* s) const {
  if (of_expression_.contains(s)) return true;
  if (const auto* u = llvm::dyn_cast<llvm::SCEVUnknown>(s)) return find(u->getValue()).has_value();
  return llvm::all_of(s->operands(), [&](const llvm::SCEV* o) { return knows(o); });
}

// A sum of natural numbers that does not wrap and comes to a small one has small summands: each is
// its own signed value. So `n == 0` for an n that counts up says where it began, too.
std::optional<Atom> Symbols::equality(const llvm::SCEV* a, const llvm::SCEV* b,
                                      const llvm::BasicBlock* user) {
  const auto* up = llvm::dyn_cast<llvm::SCEVAddRecExpr>(a);
  const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(b);
  if (up == nullptr || constant == nullptr) return std::nullopt;
  if (!up->hasNoUnsignedWrap() || !up->isAffine() || !up->getLoop()->contains(user))
    return std::nullopt;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(up->getStepRecurrence(scev_));
  const auto is_small = [](const llvm::SCEVConstant* c) {
    return c != nullptr && c->getAPInt().isNonNegative() && c->getAPInt().getActiveBits() <= 30;
  };
  if (!is_small(step) || !is_small(constant)) return std::nullopt;
  const LinearExpr value =
      exact(up->getStart(), user)
          .plus_scaled(counter(up->getLoop()), step->getAPInt().getSExtValue());
  return Atom::equal(value, LinearExpr(constant->getAPInt().getSExtValue()));
}

// What differs modulo 2^64 differs.
Atom Symbols::inequality(const llvm::SCEV* a, const llvm::SCEV* b, const llvm::BasicBlock* user) {
  const bool whole_word = a->getType()->getIntegerBitWidth() == 64;
  return whole_word ? Atom::not_equal(integer(a, user), integer(b, user))
                    : Atom::not_equal(exact(a, user), exact(b, user));
}

std::vector<Atom> Symbols::condition(const llvm::Value* v, bool holds,
                                     const llvm::BasicBlock* user) {
  // Both halves of a conjunction that holds, or of a disjunction that does not.
  using namespace llvm::PatternMatch;
  const llvm::Value *a = nullptr, *b = nullptr;
  if (holds ? match(v, m_LogicalAnd(m_Value(a), m_Value(b)))
            : match(v, m_LogicalOr(m_Value(a), m_Value(b)))) {
    std::vector<Atom> both = condition(a, holds, user);
    for (Atom& second : condition(b, holds, user)) both.push_back(std::move(second));
    return both;
  }
  return comparison(v, holds, user);
}

std::vector<Atom> Symbols::comparison(const llvm::Value* v, bool holds,
                                      const llvm::BasicBlock* user) {
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(v);
  if (compare == nullptr || !compare->getOperand(0)->getType()->isIntegerTy()) return {};
  llvm::CmpInst::Predicate predicate =
      holds ? compare->getPredicate() : compare->getInversePredicate();
  const llvm::Loop* loop = loops_.getLoopFor(user);
  const llvm::SCEV* a = scev_.getSCEVAtScope(compare->getOperand(0), loop);
  const llvm::SCEV* b = scev_.getSCEVAtScope(compare->getOperand(1), loop);
  // Conditions about nothing that is accessed or counted would only cost time.
  if (!is_word(a) || !knows(a) || !knows(b) || outlived(a, user) || outlived(b, user)) return {};
  if (compare->isUnsigned()) {
    if (!at_least(a, 0, user) || !at_least(b, 0, user)) return {};
    predicate = llvm::ICmpInst::getSignedPredicate(predicate);
  }
  if (predicate == llvm::ICmpInst::ICMP_NE) return {inequality(a, b, user)};
  if (predicate == llvm::ICmpInst::ICMP_EQ)
    if (const auto equal = equality(a, b, user)) return {*equal};
  // Everything else is said of signed values that are known exactly.
  const LinearExpr x = exact(a, user), y = exact(b, user);
  switch (predicate) {
    case llvm::ICmpInst::ICMP_EQ:
      return {Atom::equal(x, y)};
    case llvm::ICmpInst::ICMP_SLT:
      return {Atom::less(x, y)};
    case llvm::ICmpInst::ICMP_SLE:
      return {Atom::at_most(x, y)};
    case llvm::ICmpInst::ICMP_SGT:
      return {Atom::less(y, x)};
    case llvm::ICmpInst::ICMP_SGE:
      return {Atom::at_most(y, x)};
    default:
      return {};
  }
}

}  // namespace bigfoot::frontend
