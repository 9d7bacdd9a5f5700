// The accesses that a check of a few bytes is made of.
#pragma once

#include <vector>

#include "analysis/ir/plan.h"
#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend {

// Longer constant ranges go to the run time in one call,
inline constexpr std::int64_t kMaxSingleBytes = 64;
// unless they are fields of one object, of which these many bytes are known (proxies.h), and fall
// into no more checks than a small range of words has.
inline constexpr std::int64_t kMaxFieldBytes = 512;
inline constexpr std::size_t kMaxFieldChecks = kMaxSingleBytes / 8;

// Bytes of the check's range that belong to one access of the program.
struct Piece {
  std::int64_t begin, bytes;  // relative to the range
  ir::AccessId access;
};

// A contiguous range of a constant, small number of bytes, and what it is made of: pieces side by
// side, in ascending order, that together are the range.
struct SmallRange {
  ir::LinearExpr begin;
  std::vector<Piece> pieces;
  bool told_apart;  // false: which access has which bytes is not known, and one piece names one of
                    // them
};

// The accesses the check is named after.
std::vector<ir::AccessId> answers_for(const ir::PlacedCheck& check);

// If it was either this access or another one, depending on the way that was taken: the others.
std::vector<ir::AccessId> alternatives_to(const ir::PlacedCheck& check, ir::AccessId named);

// The check as it was before its parts were joined to one range: where the accesses cannot be told
// apart in the whole, each has its part. Just the check if it is one part.
std::vector<ir::PlacedCheck> parts_of(const ir::PlacedCheck& check);

// The small ranges of one of the check's ranges; none if it is a long one. A contiguous range is
// long if it has more than `most_bytes`, or more than kMaxSingleBytes and accesses that cannot be
// told apart.
std::vector<SmallRange> small_ranges(const LoweredFunction& f, const ir::PlacedCheck& check,
                                     const ir::Range& range,
                                     std::int64_t most_bytes = kMaxSingleBytes);

// What the range may be checked as piece by piece, also where only some of its parts are small: a
// field beside what memset fills.
std::vector<SmallRange> fields_of(const LoweredFunction& f, const ir::PlacedCheck& check,
                                  const ir::Range& range);

}  // namespace bigfoot::frontend
