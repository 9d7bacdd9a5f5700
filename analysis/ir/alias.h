// Alias facts: reads that must give the same value if the program is race free.
//
// Two reads of y.f see the same value when y is the same and nothing in between may have changed f:
// no write to its memory class, no call that may write it, no release (another thread can write
// after a release; before one it could only do so by racing). The later read's result is then
// replaced by the earlier one. A write of a known value counts as the earlier read. Where two arms
// of a join have each read it, a phi of their results becomes the common name; that is how the
// papers' extended paths a.f.g carry facts over a join, here one link at a time, up to kMaxLinks
// links.
//
// A race can make the assumption wrong at run time. Then the race on y.f is reported, but races on
// what y.f points to may not be: trace-precise, no longer address-precise.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "analysis/ir/program.h"

namespace bigfoot::ir {

constexpr int kMaxLinks = 4;

struct AliasedFunction {
  Function function;  // the same blocks, instructions and access numbers
  // Results of reads that are another symbol's value.
  std::map<SymbolId, SymbolId> same_as;
  // Phis that do not exist in the source. A front end that must evaluate one makes it real.
  struct AddedPhi {
    SymbolId symbol;
    BlockId block;
    std::vector<SymbolId> incoming;  // by predecessor
  };
  std::vector<AddedPhi> added_phis;
};

// `effects` says what an instruction may do, callees included.
AliasedFunction with_alias_facts(const Function& function,
                                 const std::function<Effects(const Instruction&)>& effects);

}  // namespace bigfoot::ir
