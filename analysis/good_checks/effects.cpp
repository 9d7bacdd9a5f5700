#include "analysis/good_checks/effects.h"

#include "analysis/ir/cfg.h"

namespace bigfoot::good_checks {

using ir::Instruction;

EffectTable::EffectTable(const ir::Program& program, bool assume_termination)
    : height_(program.functions.size(), 0) {
  for (const ir::Function& f : program.functions) {
    of_.push_back(own_effects(f, assume_termination));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < of_.size(); ++i) changed |= add_callees(program, i);
  }
}

CallEffects EffectTable::own_effects(const ir::Function& function, bool assume_termination) {
  CallEffects e;
  for (const ir::Block& b : function.blocks) {
    e.may_not_return |= std::holds_alternative<ir::Halt>(b.terminator);
  }
  if (assume_termination) return e;
  const ir::Cfg cfg(function);
  for (const ir::Loop& l : cfg.loops()) e.may_not_return |= !l.terminates;
  return e;
}

// As many rounds as the longest call chain; a chain longer than the number of functions goes
// through some function twice, which therefore may recurse for ever.
bool EffectTable::add_callees(const ir::Program& program, std::size_t function) {
  bool changed = false;
  CallEffects e = of_[function];
  for (const ir::Block& b : program.functions[function].blocks) {
    for (const Instruction& instruction : b.instructions) {
      const CallEffects inner = of(instruction);
      e.acquires |= inner.acquires;
      e.releases |= inner.releases;
      e.may_not_return |= inner.may_not_return;
      const auto* call = std::get_if<ir::Call>(&instruction);
      if (call == nullptr || !call->callee || call->forks) continue;
      const std::size_t callee = index_of(*call->callee);
      if (height_[function] <= height_[callee] && height_[function] <= of_.size()) {
        height_[function] = height_[callee] + 1;
        changed = true;
      }
    }
  }
  e.may_not_return |= height_[function] > of_.size();
  changed |= e.acquires != of_[function].acquires || e.releases != of_[function].releases ||
             e.may_not_return != of_[function].may_not_return;
  of_[function] = e;
  return changed;
}

CallEffects EffectTable::of(const Instruction& instruction) const {
  CallEffects e;
  e.acquires = std::holds_alternative<ir::Acquire>(instruction);
  e.releases = std::holds_alternative<ir::Release>(instruction);
  if (const auto* call = std::get_if<ir::Call>(&instruction)) {
    if (call->forks) {
      e.releases = true;
    } else if (call->callee) {
      e = of_[index_of(*call->callee)];
    } else {
      e = {call->effects.acquires, call->effects.releases, call->effects.may_not_return};
    }
  }
  return e;
}

}  // namespace bigfoot::good_checks
