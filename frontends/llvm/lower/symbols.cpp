#include "frontends/llvm/lower/symbols.h"

#include <llvm/Analysis/LoopInfo.h>

namespace bigfoot::frontend {
namespace {

using ir::LinearExpr;
using ir::SymbolId;

// Larger coefficients than any element size need; the builder refuses them too.
constexpr std::int64_t kMaxCoefficient = std::int64_t{1} << 30;
constexpr std::size_t kMaxTerms = 6;

std::optional<std::int64_t> small_constant(const llvm::SCEV* s) {
  const auto* c = llvm::dyn_cast<llvm::SCEVConstant>(s);
  if (c == nullptr || c->getAPInt().getSignificantBits() > 62) return std::nullopt;
  return c->getAPInt().getSExtValue();
}

bool is_simple(const LinearExpr& e) {
  if (!e.valid() || e.terms().size() > kMaxTerms) return false;
  for (const logic::Term& t : e.terms())
    if (t.coefficient > kMaxCoefficient || t.coefficient < -kMaxCoefficient) return false;
  return true;
}

}  // namespace

bool is_word(const llvm::SCEV* s) {
  return s->getType()->isIntegerTy() && s->getType()->getIntegerBitWidth() <= 64;
}

Symbols::Symbols(llvm::Function& f, llvm::ScalarEvolution& scev, llvm::DominatorTree& dominators,
                 llvm::LoopInfo& loops, ir::FunctionBuilder& builder,
                 const llvm::DenseMap<const llvm::BasicBlock*, ir::BlockId>& blocks)
    : function_(f),
      scev_(scev),
      dominators_(dominators),
      loops_(loops),
      builder_(builder),
      blocks_(blocks) {
  for (llvm::Argument& a : f.args())
    of_value_[&a] = note(
        builder_.parameter(a.getName().str()),
        {SymbolSource::Kind::Value, scev_.isSCEVable(a.getType()) ? scev_.getSCEV(&a) : nullptr});
}

SymbolId Symbols::note(SymbolId s, SymbolSource source) {
  if (sources_.size() <= logic::index_of(s)) sources_.resize(logic::index_of(s) + 1);
  sources_[logic::index_of(s)] = source;
  return s;
}

SymbolId Symbols::define_at(Definition where, SymbolSource source, const char* name) {
  builder_.set_block(blocks_.lookup(where.block));
  where.symbol = note(builder_.fresh(name), source);
  definitions_.push_back(where);
  return where.symbol;
}

std::optional<SymbolId> Symbols::find(const llvm::Value* v) const {
  const auto it = of_value_.find(v);
  return it == of_value_.end() ? std::nullopt : std::optional(it->second);
}

Symbols::Location Symbols::location(llvm::Value* address, llvm::Instruction& user) {
  const llvm::BasicBlock* block = user.getParent();
  const llvm::SCEV* s = scev_.getSCEVAtScope(address, loops_.getLoopFor(block));
  const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(scev_.getPointerBase(s));
  if (base != nullptr && base->getType()->isPointerTy() && !outlived(s, block)) {
    LinearExpr offset = integer(scev_.removePointerBase(s), block);
    if (is_simple(offset)) return {unknown(base->getValue()), offset};
  }
  return {unknown(address), LinearExpr(0)};
}

LinearExpr Symbols::length(llvm::Value* bytes, llvm::Instruction& user) {
  const llvm::BasicBlock* block = user.getParent();
  const llvm::SCEV* s =
      scev_.getTruncateOrZeroExtend(scev_.getSCEVAtScope(bytes, loops_.getLoopFor(block)),
                                    llvm::Type::getInt64Ty(function_.getContext()));
  return outlived(s, block) ? LinearExpr(unknown(bytes)) : exact(s, block);
}

SymbolId Symbols::unknown(llvm::Value* v) {
  if (const auto known = find(v)) return *known;
  const SymbolSource source{SymbolSource::Kind::Value, scev_.getUnknown(v)};
  auto* i = llvm::dyn_cast<llvm::Instruction>(v);
  SymbolId s;
  if (i == nullptr) {
    s = note(builder_.pure_symbol(v->getName().str(), ir::kEntry), source);
  } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
    builder_.set_block(blocks_.lookup(phi->getParent()));
    s = note(builder_.phi(phi->getName().str()), source);
    unfinished_phis_.emplace_back(phi, s);
  } else {
    s = define_at({{}, i->getParent(), i}, source, "");
  }
  of_value_[v] = s;
  return s;
}

// The operand that comes to exist last; all of them dominate the use, so they lie on one path of
// the dominator tree.
Definition Symbols::deepest_operand(const llvm::SCEV* s) {
  struct Deepest {
    llvm::DominatorTree& dominators;
    Definition found;
    bool follow(const llvm::SCEV* e) {
      if (const auto* u = llvm::dyn_cast<llvm::SCEVUnknown>(e)) {
        if (auto* i = llvm::dyn_cast<llvm::Instruction>(u->getValue()))
          consider({{}, i->getParent(), llvm::isa<llvm::PHINode>(i) ? nullptr : i});
      } else if (const auto* r = llvm::dyn_cast<llvm::SCEVAddRecExpr>(e)) {
        consider({{}, r->getLoop()->getHeader(), nullptr});
      }
      return true;
    }
    bool isDone() const { return false; }
    void consider(Definition d) {
      const bool deeper =
          d.block == found.block
              ? d.after != nullptr && (found.after == nullptr || found.after->comesBefore(d.after))
              : dominators.properlyDominates(found.block, d.block);
      if (deeper) found = d;
    }
  };
  Deepest deepest{dominators_, {{}, &function_.getEntryBlock(), nullptr}};
  llvm::visitAll(s, deepest);
  return deepest.found;
}

SymbolId Symbols::opaque(const llvm::SCEV* s) {
  if (const auto* u = llvm::dyn_cast<llvm::SCEVUnknown>(s)) return unknown(u->getValue());
  const auto it = of_expression_.find(s);
  if (it != of_expression_.end()) return it->second;
  const SymbolId symbol = define_at(deepest_operand(s), {SymbolSource::Kind::Value, s}, "");
  of_expression_[s] = symbol;
  return symbol;
}

LinearExpr Symbols::counter(const llvm::Loop* loop) {
  const auto it = of_loop_.find(loop);
  if (it != of_loop_.end()) return it->second;
  builder_.set_block(blocks_.lookup(loop->getHeader()));
  const SymbolId k = note(builder_.phi("k"), {SymbolSource::Kind::Counter, nullptr, loop});
  of_loop_[loop] = k;
  for (const llvm::BasicBlock* p : llvm::predecessors(loop->getHeader())) {
    const auto from = blocks_.find(p);
    if (from == blocks_.end()) continue;
    builder_.add_incoming(k, from->second,
                          loop->contains(p) ? LinearExpr(k) + LinearExpr(1) : LinearExpr(0));
  }
  return k;
}

LinearExpr Symbols::induction(const llvm::Loop* loop, const llvm::SCEV* step) {
  const auto it = of_induction_.find({loop, step});
  if (it != of_induction_.end()) return it->second;
  const LinearExpr move = integer(step, loop->getHeader());
  builder_.set_block(blocks_.lookup(loop->getHeader()));
  const SymbolId r = note(builder_.phi("r"), {SymbolSource::Kind::Induction, step, loop});
  of_induction_[{loop, step}] = r;
  for (const llvm::BasicBlock* p : llvm::predecessors(loop->getHeader())) {
    const auto from = blocks_.find(p);
    if (from == blocks_.end()) continue;
    builder_.add_incoming(r, from->second,
                          loop->contains(p) ? LinearExpr(r) + move : LinearExpr(0));
  }
  return r;
}

LinearExpr Symbols::add_recurrence(const llvm::SCEVAddRecExpr& r, const llvm::BasicBlock* user) {
  const llvm::Loop* loop = r.getLoop();
  // Narrow recurrences wrap at their own width, which a counter does not see.
  if (!r.isAffine() || !loop->contains(user) || r.getType()->getIntegerBitWidth() != 64)
    return opaque(&r);
  const llvm::SCEV* step = r.getStepRecurrence(scev_);
  const LinearExpr start = integer(r.getStart(), user);
  if (const auto constant = small_constant(step))
    return start.plus_scaled(counter(loop), *constant);
  return start + induction(loop, step);
}

bool Symbols::at_least(const llvm::SCEV* s, std::int64_t bound, const llvm::BasicBlock* user) {
  // x & 7 is an extension from three bits: not every bound has room there.
  if (const unsigned bits = s->getType()->getIntegerBitWidth();
      bits < 64 && bound >= std::int64_t{1} << (bits - 1))
    return false;
  // What an extension or a constant addend hides from the guards of `user`.
  if (const auto* e = llvm::dyn_cast<llvm::SCEVIntegralCastExpr>(s);
      e != nullptr && !llvm::isa<llvm::SCEVTruncateExpr>(e) && bound >= 0 &&
      at_least(e->getOperand(), bound, user))
    return true;
  if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(s); sum && sum->getNumOperands() == 2) {
    const auto constant = small_constant(sum->getOperand(0));
    constexpr std::int64_t kSmall = 1 << 20;  // no overflow here, and none in the program's width
    if (constant && *constant < 0 && *constant > -kSmall && bound >= 0 && bound < kSmall &&
        at_least(sum->getOperand(1), bound - *constant, user))
      return true;
  }
  const llvm::SCEV* c = scev_.getConstant(s->getType(), static_cast<std::uint64_t>(bound), true);
  return scev_.isKnownPredicate(llvm::ICmpInst::ICMP_SGE, s, c) ||
         scev_.isBasicBlockEntryGuardedByCond(user, llvm::ICmpInst::ICMP_SGE, s, c);
}

bool outlived(const llvm::SCEV* s, const llvm::BasicBlock* user) {
  return llvm::SCEVExprContains(s, [&](const llvm::SCEV* e) {
    const auto* r = llvm::dyn_cast<llvm::SCEVAddRecExpr>(e);
    return r != nullptr && !r->getLoop()->contains(user);
  });
}

// A header phi that takes over another recurrence's value: i = start; loop { ...; i = j + c; } with
// j going up by constant steps. Where start fits, i goes up with j.
std::optional<LinearExpr> Symbols::follower(llvm::PHINode& phi, const llvm::BasicBlock* user) {
  const llvm::Loop* loop = loops_.getLoopFor(phi.getParent());
  if (loop == nullptr || loop->getHeader() != phi.getParent() || !loop->contains(user)) return {};
  llvm::BasicBlock *preheader = loop->getLoopPreheader(), *latch = loop->getLoopLatch();
  if (preheader == nullptr || latch == nullptr) return {};
  const auto* next = llvm::dyn_cast<llvm::SCEVAddRecExpr>(
      scev_.getSCEVAtScope(phi.getIncomingValueForBlock(latch), loop));
  if (next == nullptr || next->getLoop() != loop || !next->isAffine()) return {};
  const auto step = small_constant(next->getStepRecurrence(scev_));
  if (!step) return {};
  const LinearExpr first = integer(scev_.getSCEV(phi.getIncomingValueForBlock(preheader)), user);
  if (integer(next->getStart(), user) - LinearExpr(*step) != first) return {};
  return first.plus_scaled(counter(loop), *step);
}

// If every extension in the program is marked "not negative", an address made with one exists only
// where that is so.
bool Symbols::extended_as_non_negative(const llvm::SCEV* narrow) const {
  const auto* u = llvm::dyn_cast<llvm::SCEVUnknown>(narrow);
  if (u == nullptr || llvm::isa<llvm::Constant>(u->getValue())) return false;
  bool any = false;
  for (const llvm::User* user : u->getValue()->users()) {
    const auto* zext = llvm::dyn_cast<llvm::ZExtInst>(user);
    if (zext == nullptr) continue;
    if (!zext->hasNonNeg()) return false;
    any = true;
  }
  return any;
}

LinearExpr Symbols::integer(const llvm::SCEV* s, const llvm::BasicBlock* user) {
  if (const auto constant = small_constant(s)) return *constant;
  if (!is_word(s)) return opaque(s);
  const bool whole_word = s->getType()->getIntegerBitWidth() == 64;
  LinearExpr result = LinearExpr::invalid();
  switch (s->getSCEVType()) {
    case llvm::scAddExpr:
      if (!whole_word) break;
      result = 0;
      for (const llvm::SCEV* o : llvm::cast<llvm::SCEVAddExpr>(s)->operands())
        result = result + integer(o, user);
      break;
    case llvm::scMulExpr: {
      const auto* m = llvm::cast<llvm::SCEVMulExpr>(s);
      const auto factor = small_constant(m->getOperand(0));
      if (whole_word && factor && m->getNumOperands() == 2)
        result = integer(m->getOperand(1), user) * *factor;
      break;
    }
    case llvm::scAddRecExpr:
      result = add_recurrence(*llvm::cast<llvm::SCEVAddRecExpr>(s), user);
      break;
    case llvm::scZeroExtend: {
      const llvm::SCEV* narrow = llvm::cast<llvm::SCEVZeroExtendExpr>(s)->getOperand();
      result = extended_as_non_negative(narrow) ? exact(narrow, user) : exact(s, user);
      break;
    }
    case llvm::scSignExtend:
      result = exact(s, user);
      break;
    case llvm::scUnknown:
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(llvm::cast<llvm::SCEVUnknown>(s)->getValue());
          phi != nullptr && whole_word)
        result = follower(*phi, user).value_or(LinearExpr::invalid());
      break;
    default:
      break;
  }
  return is_simple(result) ? result : LinearExpr(opaque(s));
}

std::optional<LinearExpr> Symbols::exact_sum(const llvm::SCEVAddExpr& s,
                                             const llvm::BasicBlock* user) {
  const auto constant = small_constant(s.getOperand(0));
  // c + x with c <= 0 does not overflow downwards if x >= 0.
  const bool shrinks =
      s.getNumOperands() == 2 && constant && *constant <= 0 && at_least(s.getOperand(1), 0, user);
  if (!s.hasNoSignedWrap() && !shrinks) return std::nullopt;
  LinearExpr sum = 0;
  for (const llvm::SCEV* o : s.operands()) sum = sum + exact(o, user);
  return sum;
}

LinearExpr Symbols::exact(const llvm::SCEV* s, const llvm::BasicBlock* user) {
  if (const auto constant = small_constant(s)) return *constant;
  if (!is_word(s)) return opaque(s);
  LinearExpr result = LinearExpr::invalid();
  switch (s->getSCEVType()) {
    case llvm::scAddExpr:
      if (const auto sum = exact_sum(*llvm::cast<llvm::SCEVAddExpr>(s), user)) result = *sum;
      break;
    case llvm::scMulExpr: {
      const auto* m = llvm::cast<llvm::SCEVMulExpr>(s);
      const auto factor = small_constant(m->getOperand(0));
      if (m->hasNoSignedWrap() && factor && m->getNumOperands() == 2)
        result = exact(m->getOperand(1), user) * *factor;
      break;
    }
    case llvm::scAddRecExpr: {
      const auto* r = llvm::cast<llvm::SCEVAddRecExpr>(s);
      const auto step = r->isAffine() ? small_constant(r->getStepRecurrence(scev_)) : std::nullopt;
      if (r->hasNoSignedWrap() && step && r->getLoop()->contains(user))
        result = exact(r->getStart(), user).plus_scaled(counter(r->getLoop()), *step);
      break;
    }
    case llvm::scSMaxExpr:
    case llvm::scUMaxExpr: {
      // max(c, x) is x where the user is only reached for such x.
      const auto* max = llvm::cast<llvm::SCEVNAryExpr>(s);
      const auto constant = small_constant(max->getOperand(0));
      if (max->getNumOperands() == 2 && constant && *constant >= 0 &&
          at_least(max->getOperand(1), *constant, user))
        result = exact(max->getOperand(1), user);
      break;
    }
    case llvm::scSignExtend:
      return exact(llvm::cast<llvm::SCEVSignExtendExpr>(s)->getOperand(), user);
    case llvm::scZeroExtend: {
      const llvm::SCEV* narrow = llvm::cast<llvm::SCEVZeroExtendExpr>(s)->getOperand();
      if (at_least(narrow, 0, user)) return exact(narrow, user);
      break;
    }
    default:
      break;
  }
  return is_simple(result) ? result : LinearExpr(opaque(s));
}

std::optional<LinearExpr> Symbols::exit_count(const llvm::SCEV* count, const llvm::Loop* loop) {
  if (const auto constant = small_constant(count)) {
    if (*constant < 0) return std::nullopt;
    return *constant;
  }
  const llvm::BasicBlock* header = loop->getHeader();
  if (!is_word(count) || outlived(count, header)) return std::nullopt;
  if (at_least(count, 0, header)) return exact(count, header);
  const auto it = of_exit_count_.find(count);
  if (it != of_exit_count_.end()) return it->second;
  const SymbolId symbol =
      define_at(deepest_operand(count), {SymbolSource::Kind::ExitCount, count}, "n");
  of_exit_count_[count] = symbol;
  return symbol;
}

LinearExpr Symbols::incoming(llvm::Value* v, llvm::Instruction& user) {
  if (v->getType()->isPointerTy()) {
    const Location at = location(v, user);
    return LinearExpr(at.base) + at.offset;
  }
  if (!scev_.isSCEVable(v->getType())) return unknown(v);
  const llvm::BasicBlock* from = user.getParent();
  const llvm::SCEV* s = scev_.getSCEVAtScope(v, loops_.getLoopFor(from));
  // Exact, because exit counts take the signed value of a phi at its word.
  return outlived(s, from) ? LinearExpr(unknown(v)) : exact(s, from);
}

LinearExpr Symbols::total(const llvm::Loop* loop, const llvm::SCEV* step, const llvm::SCEV* count) {
  SymbolId& s = of_total_.try_emplace({loop, {step, count}}, SymbolId(UINT32_MAX)).first->second;
  if (s != SymbolId(UINT32_MAX)) return s;
  llvm::Type* word = step->getType();
  const llvm::SCEV* product = scev_.getMulExpr(step, scev_.getTruncateOrZeroExtend(count, word));
  s = define_at(deepest_operand(product), {SymbolSource::Kind::Value, product}, "total");
  return s;
}

std::vector<std::pair<LinearExpr, const llvm::SCEV*>> Symbols::inductions(
    const llvm::Loop* loop) const {
  std::vector<std::pair<LinearExpr, const llvm::SCEV*>> found;
  for (const auto& [key, symbol] : of_induction_)
    if (key.first == loop) found.emplace_back(symbol, key.second);
  return found;
}

void Symbols::finish() {
  // Lowering an operand may bring in further phis.
  while (!unfinished_phis_.empty()) {
    const auto [phi, symbol] = unfinished_phis_.back();
    unfinished_phis_.pop_back();
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      llvm::BasicBlock* from = phi->getIncomingBlock(i);
      const auto block = blocks_.find(from);
      if (block == blocks_.end() || phi->getBasicBlockIndex(from) != static_cast<int>(i)) continue;
      llvm::Value* v = phi->getIncomingValue(i);
      builder_.add_incoming(symbol, block->second, incoming(v, *from->getTerminator()));
    }
  }
}

}  // namespace bigfoot::frontend
