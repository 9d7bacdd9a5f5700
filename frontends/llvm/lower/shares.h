// Which bytes of a merged range check belong to which access of the program.
//
// A check that left its loop stands for many executions of one or more accesses. A race it finds is
// to be reported as the access that really touched the byte, so the check is emitted in shares,
// each with the source position of its access:
//
//   a[i-1], a[i], a[i+1]      the range is cut near its end: each byte goes to an access that
//   reaches it p[i].x, p[i].y            one strided share for each field
#pragma once

#include <optional>
#include <vector>

#include "analysis/ir/plan.h"
#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend {

struct Share {
  ir::AccessId access;
  // The share begins at `phase` and repeats every `step` bytes, `width` bytes each (step == width:
  // all).
  std::int64_t phase, step, width;
  // Where it ends, seen from the end of the check's range (<= 0). Shares with the same phase follow
  // each other: the next one begins where this one ends.
  std::int64_t end;
};

// The shares of `range` among the accesses `who`, in the order in which they are to be emitted;
// together they cover it. Nothing if that cannot be told.
std::optional<std::vector<Share>> shares(const LoweredFunction& f, const ir::PlacedCheck& check,
                                         const ir::Range& range,
                                         const std::vector<ir::AccessId>& who,
                                         const llvm::BasicBlock& where);

}  // namespace bigfoot::frontend
