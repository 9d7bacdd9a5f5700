#include "analysis/placement/effects.h"

#include <algorithm>
#include <set>

#include "analysis/ir/cfg.h"
#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using ir::Effects;
using ir::FunctionId;

Effects local_effects(const ir::Function& f, bool assume_termination) {
  Effects e;
  for (const ir::Block& b : f.blocks) {
    e.may_not_return |= std::holds_alternative<ir::Halt>(b.terminator);
    for (const ir::Instruction& i : b.instructions) {
      if (std::holds_alternative<ir::Acquire>(i)) e.acquires = true;
      if (std::holds_alternative<ir::Release>(i)) e.releases = true;
      if (const auto* a = std::get_if<ir::Access>(&i); a && a->kind == ir::AccessKind::Write) {
        Effects write;
        write.modifies = {a->memory_class};
        e.join(write);
      }
      if (const auto* c = std::get_if<ir::Call>(&i)) {
        if (c->forks) {
          e.releases = true;
        } else if (!c->callee) {
          e.join(c->effects);
        }
      }
    }
  }
  if (!assume_termination && !mutated(Mutation::NotermTreatedAsTerminating)) {
    const ir::Cfg cfg(f);
    for (const ir::Loop& loop : cfg.loops()) e.may_not_return |= !loop.terminates;
  }
  return e;
}

// Callees that run on the caller's thread.
std::vector<FunctionId> callees(const ir::Function& f) {
  std::set<FunctionId> found;
  for (const ir::Block& b : f.blocks) {
    for (const ir::Instruction& i : b.instructions) {
      const auto* c = std::get_if<ir::Call>(&i);
      if (c != nullptr && c->callee && !c->forks) found.insert(*c->callee);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace

std::vector<Effects> compute_effects(const ir::Program& program, bool assume_termination) {
  const std::size_t n = program.functions.size();
  std::vector<Effects> effects;
  std::vector<std::vector<FunctionId>> calls;
  for (const ir::Function& f : program.functions) {
    effects.push_back(local_effects(f, assume_termination));
    calls.push_back(callees(f));
  }
  // Reverse call graph and a worklist: each function is revisited only when a callee has grown.
  std::vector<std::vector<std::size_t>> callers(n);
  for (std::size_t f = 0; f < n; ++f) {
    for (FunctionId c : calls[f]) callers[ir::index_of(c)].push_back(f);
  }
  // In a cycle of calls every function reaches itself; Kahn's algorithm leaves exactly the
  // functions that are on a cycle or call into one, and the latter do not return either.
  std::vector<std::size_t> open(n);
  std::vector<std::size_t> work;
  for (std::size_t f = 0; f < n; ++f) {
    open[f] = calls[f].size();
    if (open[f] == 0) work.push_back(f);
  }
  std::vector<bool> done(n, false);
  while (!work.empty()) {
    const std::size_t f = work.back();
    work.pop_back();
    done[f] = true;
    for (std::size_t caller : callers[f]) {
      if (--open[caller] == 0) work.push_back(caller);
    }
  }
  for (std::size_t f = 0; f < n; ++f) effects[f].may_not_return |= !done[f];

  for (std::size_t f = 0; f < n; ++f) work.push_back(f);
  while (!work.empty()) {
    const std::size_t f = work.back();
    work.pop_back();
    Effects grown = effects[f];
    for (FunctionId c : calls[f]) grown.join(effects[ir::index_of(c)]);
    if (grown == effects[f]) continue;
    effects[f] = std::move(grown);
    work.insert(work.end(), callers[f].begin(), callers[f].end());
  }
  return effects;
}

Effects effects_of(const ir::Instruction& instruction, const std::vector<Effects>& of_functions) {
  Effects e;
  if (std::holds_alternative<ir::Acquire>(instruction)) {
    e.acquires = true;
  } else if (std::holds_alternative<ir::Release>(instruction)) {
    e.releases = true;
  } else if (const auto* c = std::get_if<ir::Call>(&instruction)) {
    if (c->forks) {
      e.releases = true;
    } else {
      e = c->callee ? of_functions[ir::index_of(*c->callee)] : c->effects;
    }
  } else if (const auto* a = std::get_if<ir::Access>(&instruction);
             a != nullptr && a->kind == ir::AccessKind::Write) {
    e.modifies = {a->memory_class};
  }
  return e;
}

}  // namespace bigfoot::placement
