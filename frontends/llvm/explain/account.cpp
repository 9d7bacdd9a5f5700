#include "frontends/llvm/explain/account.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <algorithm>

#include "frontends/llvm/checks.h"
#include "frontends/llvm/explain/source_names.h"
#include "frontends/llvm/lower/call_effects.h"

namespace bigfoot::frontend::explain {
namespace {

Function named(const llvm::Function& f) {
  Function out;
  out.symbol = f.getName().str();
  out.name = demangled(f.getName());
  if (const llvm::DISubprogram* s = f.getSubprogram())
    out.defined = Frame{file_name(s->getFilename(), s->getDirectory()), s->getLine(), 0, {}};
  return out;
}

// An access that is checked where it stands, with its check.
void add_on_the_spot(Function& out, const llvm::Instruction& i, bool writes,
                     std::optional<std::uint64_t> bytes, Form form) {
  const Position at = position_of(position(i));
  Check check;
  check.position = at;
  check.writes = writes;
  check.rule = "ACCESS";
  check.reason = "it stands at the access";
  check.covers.push_back({out.accesses.size(), Moved::InPlace, {}});
  out.accesses.push_back({at, writes, bytes, form, Fate::Checked, {out.checks.size()}, {}});
  out.checks.push_back(std::move(check));
}

void add_memory(Function& out, const llvm::AnyMemIntrinsic& m) {
  std::optional<std::uint64_t> bytes;
  if (const auto* n = llvm::dyn_cast<llvm::ConstantInt>(m.getLength())) bytes = n->getZExtValue();
  if (llvm::isa<llvm::AnyMemTransferInst>(m)) add_on_the_spot(out, m, false, bytes, Form::Memory);
  add_on_the_spot(out, m, true, bytes, Form::Memory);
}

// What placement leaves alone.
void add_outside(Function& out, const Accesses& found, bool placed) {
  for (const llvm::AnyMemIntrinsic* m : found.memory)
    if (!placed || !is_placed(*m)) add_memory(out, *m);
  for (const llvm::IntrinsicInst* v : found.vectors)
    add_on_the_spot(out, *v, v->mayWriteToMemory(), std::nullopt, Form::Masked);
  for (const PlainAccess& a : found.plain)
    if (a.vtable_pointer) add_on_the_spot(out, *a.instruction, true, a.bytes, Form::VtablePointer);
}

class Account {
 public:
  Account(const LoweredFunction& f, const ir::Plan& plan) : f_(f), plan_(plan), names_(f) {}

  Function give() {
    out_ = named(*f_.function);
    for (const PlainAccess& a : f_.accesses)
      out_.accesses.push_back(
          {position_of(position(*a.instruction)),
           a.writes,
           a.length == nullptr ? std::optional<std::uint64_t>(a.bytes) : std::nullopt,
           a.is_memory_intrinsic() ? Form::Memory : Form::Plain,
           Fate::Checked,
           {},
           {}});
    for (const ir::Decision& d : plan_.decisions) {
      Access& a = out_.accesses[index_of(d.access)];
      a.fate = d.kind;
      for (ir::AccessId other : d.relies_on) a.relies_on.push_back(index_of(other));
    }
    for (const ir::PlacedCheck& c : plan_.checks) add(c);
    return std::move(out_);
  }

 private:
  void add(const ir::PlacedCheck& c) {
    Check check;
    check.writes = c.check.kind == ir::AccessKind::Write;
    check.rule = c.rule;
    check.on_edge = c.point.edge_to.has_value();
    const llvm::Instruction& before = stands_before(c.point);
    check.position = position_of(position(before));
    explain_barrier(c, before, check);
    for (const ir::Range& r : c.check.ranges) {
      check.paths.push_back(names_.path(c.check.base, r));
      const Shape shape = !r.contiguous()    ? Shape::Strided
                          : is_made_of(r, c) ? Shape::Single
                                             : Shape::Range;
      check.shape = std::max(check.shape, shape);
    }
    for (const ir::Covered& covered : c.stands_for) {
      const std::size_t access = index_of(covered.access);
      const bool known = std::any_of(check.covers.begin(), check.covers.end(),
                                     [&](const Covers& k) { return k.access == access; });
      if (known) continue;
      check.covers.push_back(relation(c.point, before, access));
      out_.accesses[access].checks.push_back(out_.checks.size());
    }
    out_.checks.push_back(std::move(check));
  }

  // The range is no longer than its accesses side by side: no loop has made it.
  bool is_made_of(const ir::Range& r, const ir::PlacedCheck& c) const {
    const auto length = r.constant_length();
    std::int64_t bytes = 0;
    for (const ir::Covered& covered : c.stands_for)
      bytes += f_.accesses[index_of(covered.access)].bytes;
    return length && *length <= bytes;
  }

  const llvm::Instruction& stands_before(const ir::Point& p) const {
    return p.edge_to ? *f_.blocks[index_of(*p.edge_to)]->getFirstNonPHIIt()
                     : *f_.instruction_at(p.block, p.index);
  }

  Covers relation(const ir::Point& point, const llvm::Instruction& before,
                  std::size_t access) const {
    const llvm::Instruction& i = *f_.accesses[access].instruction;
    Covers covers{access, Moved::Later, {}};
    const bool beside = !point.edge_to && (&before == &i || i.getNextNode() == &before);
    if (beside)
      covers.moved = Moved::InPlace;
    else if (f_.dominators->dominates(&before, &i))
      covers.moved = Moved::Earlier;
    const llvm::BasicBlock* from = f_.blocks[index_of(point.block)];
    const llvm::BasicBlock* to = point.edge_to ? f_.blocks[index_of(*point.edge_to)] : from;
    for (const llvm::Loop* loop = f_.loops->getLoopFor(i.getParent()); loop != nullptr;
         loop = loop->getParentLoop()) {
      if (loop->contains(from) && loop->contains(to)) break;
      const llvm::DebugLoc start = loop->getStartLoc();
      covers.left_loops.push_back(start ? frame_of(*start) : Frame{});
    }
    return covers;
  }

  static void explain_barrier(const ir::PlacedCheck& c, const llvm::Instruction& before,
                              Check& check) {
    const auto because = [&](Barrier b, std::string text) {
      check.barrier = b;
      check.reason = std::move(text);
    };
    if (c.rule == "READ" || c.rule == "WRITE")
      return because(Barrier::Access, "it stands at the access");
    if (c.rule == "LOOP-NOTERM") return because(Barrier::EndlessLoop, "a loop that may not end");
    if (c.rule == "BUDGET")
      return because(Barrier::Budget, "the analysis remembers no more accesses");
    if (c.rule == "IF-ALL") return because(Barrier::Join, "all ways from here make this check");
    if (c.point.edge_to) return because(Barrier::Join, "a join of paths");
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&before)) {
      const std::string name = "call to " + callee_name(*call);
      return c.rule == "CALL-NORETURN"
                 ? because(Barrier::NoReturn, name + " may not return")
                 : because(Barrier::Call, name + " may synchronise or free memory");
    }
    if (before.isAtomic()) return because(Barrier::Atomic, "an atomic operation synchronises");
    if (llvm::succ_empty(&before)) return because(Barrier::End, "the function ends");
    because(Barrier::Join, "a join of paths");
  }

  const LoweredFunction& f_;
  const ir::Plan& plan_;
  SourceNames names_;
  Function out_;
};

}  // namespace

Function account_of(const LoweredFunction& f, const ir::Plan& plan, const Accesses& found) {
  Function out = Account(f, plan).give();
  add_outside(out, found, true);
  return out;
}

Function account_on_the_spot(const llvm::Function& f, const Accesses& found, bool analysed) {
  Function out = named(f);
  out.analysed = analysed;
  for (const PlainAccess& a : found.plain)
    if (!a.vtable_pointer) add_on_the_spot(out, *a.instruction, a.writes, a.bytes, Form::Plain);
  add_outside(out, found, false);
  return out;
}

}  // namespace bigfoot::frontend::explain
