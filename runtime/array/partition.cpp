// Table I of the SlimState paper, row by row: each row is a function that says whether it applies
// and what the partition becomes, and the table below has them in the paper's order.
#include "runtime/array/partition.h"

#include "runtime/base/check.h"
#include "runtime/base/numbers.h"

namespace bigfoot::rt {
namespace {

bool is_range(const IndexRange& f, u64 b, u64 e) {
  return f.b == b && f.e == e && f.k == 1;
}
// f has every k-th element of the array, from one end to the other.
bool spans(const IndexRange& f, u64 n) {
  return f.b < f.k && n - 1 < f.e + f.k;
}

// Each returns true if the row applies, and then sets `to`.
using Row = bool (*)(const Partition& p, const IndexRange& f, Partition& to);

bool coarse_whole(const Partition& p, const IndexRange& f, Partition& to) {
  to = p;
  return is_range(f, 0, p.n - 1);
}
bool coarse_first_part(const Partition& p, const IndexRange& f, Partition& to) {
  to = Partition::split(p.n, f.e + 1);
  return is_range(f, 0, f.e);
}
bool coarse_last_part(const Partition& p, const IndexRange& f, Partition& to) {
  to = Partition::split(p.n, f.b);
  return is_range(f, f.b, p.n - 1);
}
bool coarse_blocks(const Partition& p, const IndexRange& f, Partition& to) {
  const u64 d = gcd(gcd(p.n, f.b), f.e + 1);
  to = Partition::block(p.n, d);
  return d > 1 && f.k == 1;
}
bool coarse_strides(const Partition& p, const IndexRange& f, Partition& to) {
  to = Partition::stride(p.n, f.k);
  return f.k > 1 && p.n % f.k == 0 && spans(f, p.n);
}
bool coarse_prefix(const Partition& p, const IndexRange& f, Partition& to) {
  to = Partition::prefix(p.n, f.e + 1);
  return f.e < p.n / 4;
}
bool smaller_blocks(const Partition& p, const IndexRange& f, Partition& to) {
  const u64 d = gcd(gcd(p.parameter, f.b), f.e + 1);
  to = Partition::block(p.n, d);
  return d > 1 && f.k == 1;
}
bool split_first(const Partition& p, const IndexRange& f, Partition& to) {
  to = p;
  return is_range(f, 0, p.parameter - 1);
}
bool split_second(const Partition& p, const IndexRange& f, Partition& to) {
  to = p;
  return is_range(f, p.parameter, p.n - 1);
}
bool split_both(const Partition& p, const IndexRange& f, Partition& to) {
  to = p;
  return is_range(f, 0, p.n - 1);
}
bool split_blocks(const Partition& p, const IndexRange& f, Partition& to) {
  const u64 d = gcd(gcd(p.n, p.parameter), gcd(f.b, f.e + 1));
  to = Partition::block(p.n, d);
  return d > 1 && f.k == 1;
}
bool split_prefix(const Partition& p, const IndexRange& f, Partition& to) {
  const u64 d = p.parameter > f.e ? p.parameter : f.e;
  to = Partition::prefix(p.n, d + 1);
  return d < p.n / 4;
}
bool wider_strides(const Partition& p, const IndexRange& f, Partition& to) {
  const u64 s = lcm(f.k, p.parameter);
  to = Partition::stride(p.n, s);
  return p.n % s == 0 && s > 1 && spans(f, p.n);
}
// The paper's row has b == i; its text promises that a partition that is precise enough stays, so
// the rest together with elements of the prefix before it counts as well.
bool prefix_rest(const Partition& p, const IndexRange& f, Partition& to) {
  to = p;
  return is_range(f, f.b, p.n - 1) && f.b <= p.parameter;
}
bool prefix_inside(const Partition& p, const IndexRange& f, Partition& to) {
  to = p;
  return f.e < p.parameter;
}
bool prefix_longer(const Partition& p, const IndexRange& f, Partition& to) {
  to = Partition::prefix(p.n, 2 * f.e);
  return 2 * f.e < p.n - 1;
}

constexpr struct {
  Form from;
  Row row;
} kTable[] = {
    {Form::kCoarse, coarse_whole},     {Form::kCoarse, coarse_first_part},
    {Form::kCoarse, coarse_last_part}, {Form::kCoarse, coarse_blocks},
    {Form::kCoarse, coarse_strides},   {Form::kCoarse, coarse_prefix},
    {Form::kBlock, smaller_blocks},    {Form::kSplit, split_first},
    {Form::kSplit, split_second},      {Form::kSplit, split_both},
    {Form::kSplit, split_blocks},      {Form::kSplit, split_prefix},
    {Form::kStride, wider_strides},    {Form::kPrefix, prefix_rest},
    {Form::kPrefix, prefix_inside},    {Form::kPrefix, prefix_longer},
};

}  // namespace

Partition refine(const Partition& p, const IndexRange& f) {
  BF_DCHECK(f.b <= f.e && f.e < p.n && f.k > 0 && (f.e - f.b) % f.k == 0);
  Partition to;
  for (const auto& entry : kTable)
    if (entry.from == p.form && entry.row(p, f, to)) return to;
  return Partition::fine(p.n);  // any other
}

u64 Partition::parts() const {
  switch (form) {
    case Form::kCoarse:
      return 1;
    case Form::kBlock:
      return n / parameter;
    case Form::kStride:
      return parameter;
    case Form::kSplit:
      return 2;
    case Form::kPrefix:
      return parameter + 1;
    case Form::kFine:
      return n;
  }
  return n;
}

u64 Partition::part_of(u64 i) const {
  switch (form) {
    case Form::kCoarse:
      return 0;
    case Form::kBlock:
      return i / parameter;
    case Form::kStride:
      return i % parameter;
    case Form::kSplit:
      return i < parameter ? 0 : 1;
    case Form::kPrefix:
      return i < parameter ? i : parameter;
    case Form::kFine:
      return i;
  }
  return i;
}

Partition Partition::with_smaller_elements(u64 factor) const {
  return {form, n * factor, parameter * factor};
}

}  // namespace bigfoot::rt
