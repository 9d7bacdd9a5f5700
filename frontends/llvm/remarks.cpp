#include "frontends/llvm/remarks.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstrTypes.h>

#include <string>

#include "frontends/llvm/checks.h"
#include "frontends/llvm/lower/call_effects.h"

namespace bigfoot::frontend {
namespace {

constexpr const char* kPass = "bigfoot";

// What stands at the point where a check had to be.
std::string barrier(const ir::PlacedCheck& c, const LoweredFunction& f) {
  if (c.point.edge_to)
    return c.rule == "LOOP-NOTERM" ? "a loop that may not end" : "a join of paths";
  const llvm::Instruction* at = f.instruction_at(c.point.block, c.point.index);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(at)) {
    const std::string name = callee_name(*call);
    return c.rule == "CALL-NORETURN" ? "call to " + name + " may not return"
                                     : "call to " + name + " may synchronise or free memory";
  }
  if (at->isAtomic()) return "an atomic operation synchronises";
  if (llvm::succ_empty(at)) return "the function ends";
  return "a join of paths";
}

std::string kind(const PlainAccess& a) {
  return std::string(a.writes ? "write" : "read") + " of " + std::to_string(a.bytes) + " bytes";
}

class Writer {
 public:
  Writer(const LoweredFunction& f, llvm::OptimizationRemarkEmitter& remarks)
      : f_(f), remarks_(remarks) {}

  template <class Remark>
  void about(ir::AccessId id, const char* name, const std::string& text) {
    const PlainAccess& a = f_.accesses[index_of(id)];
    remarks_.emit([&] {
      return Remark(kPass, name, llvm::DiagnosticLocation(position(*a.instruction)),
                    a.instruction->getParent())
             << kind(a) << ": " << text;
    });
  }

 private:
  const LoweredFunction& f_;
  llvm::OptimizationRemarkEmitter& remarks_;
};

}  // namespace

void emit_remarks(const ir::Plan& plan, const LoweredFunction& f,
                  llvm::OptimizationRemarkEmitter& remarks) {
  Writer write(f, remarks);
  for (const ir::Decision& d : plan.decisions) {
    switch (d.kind) {
      case ir::Decision::Kind::CoveredBefore:
        write.about<llvm::OptimizationRemark>(d.access, "Dropped",
                                              "no check, an earlier one covers it");
        break;
      case ir::Decision::Kind::Anticipated:
        write.about<llvm::OptimizationRemark>(d.access, "Anticipated",
                                              "no check, a later one covers it");
        break;
      case ir::Decision::Kind::RequiredByCaller:
        write.about<llvm::OptimizationRemark>(d.access, "Required",
                                              "no check, every caller has checked it");
        break;
      case ir::Decision::Kind::Checked:
        break;
    }
  }
  for (const ir::PlacedCheck& c : plan.checks) {
    if (c.stands_for.empty()) continue;
    const ir::AccessId first = c.stands_for.front().access;
    std::size_t accesses = 1;
    for (const ir::Covered& other : c.stands_for) accesses += other.access != first;
    const bool loop = !c.check.ranges.front().constant_length();
    const std::string several = accesses > 1 ? std::to_string(accesses) + " accesses" : "";
    if (accesses > 1 || loop)
      write.about<llvm::OptimizationRemark>(
          first, "Merged",
          "one check for " + several +
              (loop ? several.empty() ? "a whole loop" : " of a loop" : ""));
    write.about<llvm::OptimizationRemarkMissed>(first, "Checked",
                                                "checked here because " + barrier(c, f));
  }
}

}  // namespace bigfoot::frontend
