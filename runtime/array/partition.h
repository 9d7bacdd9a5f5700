// The partitions of SlimState's Table I, and how they are refined.
//
// An array of n elements is divided into parts, each with one history. There are six forms:
//
//   COARSE      one part
//   BLOCK(d)    n/d parts of d neighbouring elements each; d divides n
//   STRIDE(s)   s parts: part r has the elements r, r + s, r + 2s, ...; s divides n
//   SPLIT(i)    two parts: the elements before i, and the others
//   PREFIX(i)   i + 1 parts: the first i elements each for itself, and the others
//   FINE        n parts
//
// refine(P, f) is sufficiently precise for the footprint f: f is the union of some of its parts;
// and it refines P: each part of P is the union of some of its parts. Pure arithmetic; who holds
// the histories moves them along (table_shadow.h).
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

enum class Form : u8 { kCoarse, kBlock, kStride, kSplit, kPrefix, kFine };
inline constexpr usize kFormCount = 6;

// <b : e : k>, not empty: the indices b, b + k, ..., e. A single index has k == 1.
struct IndexRange {
  u64 b, e, k;
};

struct Partition {
  Form form = Form::kCoarse;
  u64 n = 0;
  u64 parameter = 0;  // d, s or i

  static Partition coarse(u64 n) { return {Form::kCoarse, n, 0}; }
  static Partition fine(u64 n) { return {Form::kFine, n, 0}; }
  static Partition block(u64 n, u64 d) { return {Form::kBlock, n, d}; }
  static Partition stride(u64 n, u64 s) { return {Form::kStride, n, s}; }
  static Partition split(u64 n, u64 i) { return {Form::kSplit, n, i}; }
  static Partition prefix(u64 n, u64 i) { return {Form::kPrefix, n, i}; }

  bool operator==(const Partition&) const = default;
  u64 parts() const;
  u64 part_of(u64 index) const;
  // The same partition of the same bytes, each element seen as `factor` smaller ones.
  Partition with_smaller_elements(u64 factor) const;
};

// REQUIRES: f.e < p.n.
Partition refine(const Partition& p, const IndexRange& f);

// Calls visit(part) for each part that f is the union of. REQUIRES: p == refine(p, f).
template <class Visit>
void for_each_part(const Partition& p, const IndexRange& f, Visit&& visit) {
  if (p.form != Form::kStride) {
    // Where elements are parts, every k-th is meant; elsewhere k is 1.
    const u64 last = p.part_of(f.e);
    const u64 step = p.form == Form::kFine || p.form == Form::kPrefix ? f.k : 1;
    for (u64 part = p.part_of(f.b); part <= last; part += step) visit(part);
    return;
  }
  // f has every k-th element from one end to the other, and k divides s.
  for (u64 part = f.b % f.k; part < p.parameter; part += f.k) visit(part);
}

}  // namespace bigfoot::rt
