#include "frontends/llvm/lower/values.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "frontends/llvm/compat.h"

namespace bigfoot::frontend {
Values::Values(LoweredFunction& f)
    : f_(f), expander_(compat::scev_expander(*f.scev, *f.function)) {}

const llvm::SCEV* Values::expression(ir::SymbolId s) const {
  llvm::ScalarEvolution& scev = *f_.scev;
  llvm::Type* word = llvm::Type::getInt64Ty(f_.function->getContext());
  const SymbolSource& source = f_.symbols->source(s);
  switch (source.kind) {
    case SymbolSource::Kind::Value:
      return source.scev->getType()->isPointerTy() ? source.scev
                                                   : scev.getNoopOrSignExtend(source.scev, word);
    case SymbolSource::Kind::ExitCount:
      return scev.getNoopOrZeroExtend(source.scev, word);
    case SymbolSource::Kind::Counter:
      return scev.getAddRecExpr(scev.getZero(word), scev.getOne(word), source.loop,
                                llvm::SCEV::FlagAnyWrap);
    case SymbolSource::Kind::Induction:
      return scev.getAddRecExpr(scev.getZero(word), source.scev, source.loop,
                                llvm::SCEV::FlagAnyWrap);
  }
  llvm_unreachable("every kind returns");
}

llvm::Value* Values::where_defined(ir::SymbolId s) {
  llvm::Value*& value = outlived_[static_cast<unsigned>(logic::index_of(s))];
  if (value != nullptr) return value;
  const SymbolSource& source = f_.symbols->source(s);
  llvm::Instruction* at = nullptr;
  if (source.loop != nullptr) {
    at = &*source.loop->getHeader()->getFirstInsertionPt();
  } else {
    for (const Definition& d : f_.symbols->definitions())
      if (d.symbol == s)
        at = d.after != nullptr ? d.after->getNextNode() : &*d.block->getFirstInsertionPt();
  }
  value = expander_.expandCodeFor(expression(s), llvm::Type::getInt64Ty(at->getContext()), at);
  return value;
}

llvm::Value* Values::integer(const ir::LinearExpr& e, llvm::Instruction& before) {
  llvm::ScalarEvolution& scev = *f_.scev;
  llvm::Type* word = llvm::Type::getInt64Ty(before.getContext());
  const llvm::Loop* loop = f_.loops->getLoopFor(before.getParent());
  const llvm::SCEV* sum = scev.getConstant(word, static_cast<std::uint64_t>(e.constant()), true);
  llvm::SmallVector<std::pair<llvm::Value*, std::int64_t>, 2> old;
  for (const logic::Term& t : e.terms()) {
    const llvm::SCEV* s = scev.getSCEVAtScope(expression(t.symbol), loop);
    if (outlived(s, before.getParent())) {
      old.emplace_back(where_defined(t.symbol), t.coefficient);
      continue;
    }
    const llvm::SCEV* c = scev.getConstant(word, static_cast<std::uint64_t>(t.coefficient), true);
    sum = scev.getAddExpr(sum, scev.getMulExpr(c, s));
  }
  llvm::Value* result = expander_.expandCodeFor(sum, word, &before);
  llvm::IRBuilder<> at(&before);
  for (const auto& [value, coefficient] : old)
    result = at.CreateAdd(
        result, at.CreateMul(value, at.getInt64(static_cast<std::uint64_t>(coefficient))));
  return result;
}

llvm::Value* Values::address(ir::SymbolId base, const ir::LinearExpr& offset,
                             llvm::Instruction& before) {
  auto* unknown = llvm::cast<llvm::SCEVUnknown>(f_.symbols->source(base).scev);
  llvm::Value* pointer = unknown->getValue();
  if (offset.is_constant() && offset.constant() == 0) return pointer;
  llvm::Value* bytes = integer(offset, before);
  llvm::IRBuilder<> at(&before);
  return at.CreateGEP(at.getInt8Ty(), pointer, bytes);
}

}  // namespace bigfoot::frontend
