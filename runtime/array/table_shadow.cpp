#include "runtime/array/table_shadow.h"

#include "runtime/base/numbers.h"
#include "runtime/detect/install.h"

namespace bigfoot::rt {
namespace {

// The first part that has a cell of its own here; those before it are in the planes.
u64 first_kept(const Partition& p) {
  return p.form == Form::kPrefix ? p.parameter : p.form == Form::kFine ? p.n : 0;
}

// A prefix that ends with a word: the planes keep whole words, and an access to one of them must not
// find half of it elsewhere.
Partition with_whole_words(const Partition& p, usize element) {
  if (p.form != Form::kPrefix) return p;
  const u64 unit = 8 / gcd(8, element);
  const u64 elements = (p.parameter + unit - 1) / unit * unit;
  return elements < p.n ? Partition::prefix(p.n, elements) : Partition::fine(p.n);
}

}  // namespace

void TableShadow::start(ByteRange array) {
  array_ = array;
  p_ = Partition::coarse(1);
  element_ = 0;
  refinements_ = 0;
  cells_.resize(1);
  cells_[0] = Cell{};
}

void TableShadow::release_storage() {
  cells_.release_storage();
}

usize TableShadow::kept_from() const {
  const usize end = first_kept(p_) * element_;
  return end < array_.size ? end : array_.size;
}

const Cell& TableShadow::cell_of(u64 index) const {
  return cells_[static_cast<u32>(p_.part_of(index) - first_kept(p_))];
}

// Where the run of neighbours with one history ends that has the byte.
usize TableShadow::run_end(usize offset) const {
  const u64 index = offset / element_;
  u64 end = p_.n;
  if (p_.form == Form::kBlock) end = (index / p_.parameter + 1) * p_.parameter;
  if (p_.form == Form::kStride) end = index + 1;
  if (p_.form == Form::kSplit && index < p_.parameter) end = p_.parameter;
  return end * element_;
}

PartBytes TableShadow::bytes_of(u64 part) const {
  if (p_.form == Form::kStride)
    return {0, array_.size, p_.parameter * element_, part * element_, element_};
  u64 begin = 0, end = p_.n;
  if (p_.form == Form::kBlock) begin = part * p_.parameter, end = begin + p_.parameter;
  if (p_.form == Form::kSplit) part == 0 ? end = p_.parameter : begin = p_.parameter;
  if (p_.form == Form::kPrefix) begin = p_.parameter;
  const usize stop = end * element_;
  return {begin * element_, stop < array_.size ? stop : array_.size};
}

// Elements become small enough for the footprint to be made of whole ones.
void TableShadow::fit_element(const Footprint& f) {
  if (element_ == 0) {
    element_ = gcd(gcd(f.width, f.begin), f.step);
    p_.n = (array_.size + element_ - 1) / element_;
  }
  const usize wanted = gcd(gcd(gcd(element_, f.width), f.begin), f.step);
  if (wanted == element_) return;
  const u64 factor = element_ / wanted;
  if (p_.form == Form::kStride) {
    cells_.resize(static_cast<u32>(p_.parameter * factor));
    for (u32 i = cells_.size(); i-- > 0;) cells_[i] = cells_[static_cast<u32>(i / factor)];
  }
  p_ = p_.with_smaller_elements(factor);
  p_.n = (array_.size + wanted - 1) / wanted;
  element_ = wanted;
}

// The histories of the old parts, for the new ones. Each new part lies in an old one, so any of its
// elements tells which.
void TableShadow::change(const Partition& to) {
  ++refinements_;
  const usize moved_to = first_kept(to) * element_;
  PlaneWriter planes(element_);
  const usize stop = moved_to < array_.size ? moved_to : array_.size;
  for_each_run(kept_from(), stop, [&](usize begin, usize end, const Cell& c) {
    planes.put({array_.begin + begin, end - begin}, c);
  });
  planes.finish();
  Growing<Cell> cells;
  cells.resize(static_cast<u32>(to.parts() - first_kept(to)));
  for (u32 i = 0; i < cells.size(); ++i) {
    const u64 part = first_kept(to) + i;
    u64 element = part;  // STRIDE: its first element
    if (to.form == Form::kBlock) element = part * to.parameter;
    if (to.form == Form::kSplit) element = part == 0 ? 0 : to.parameter;
    cells[i] = cell_of(element);
  }
  cells_.release_storage();
  cells_ = cells;
  p_ = to;
}

void TableShadow::make_fine() {
  if (element_ == 0) fit_element(Footprint::one(0, 8));
  if (!fine()) change(Partition::fine(p_.n));
}

bool TableShadow::settled(const Commit& c, u64 index) const {
  return index >= first_kept(p_) && c.settled(cell_of(index));
}

// Leaves out what this epoch has settled already, as far as it lies at the ends. False if nothing
// is left.
bool TableShadow::trim(const Commit& c, IndexRange& f) const {
  if (p_.form == Form::kStride) {
    for (u64 i = f.b; i <= f.e && i < f.b + p_.parameter * f.k; i += f.k)
      if (!settled(c, i)) return true;
    return false;
  }
  while (settled(c, f.b)) {
    const u64 next = run_end(f.b * element_) / element_;
    f.b += (next - f.b + f.k - 1) / f.k * f.k;
    if (f.b > f.e) return false;
  }
  while (settled(c, f.e)) {
    const Partition& p = p_;
    u64 begin = 0;  // of the run
    if (p.form == Form::kBlock) begin = f.e / p.parameter * p.parameter;
    if (p.form == Form::kSplit && f.e >= p.parameter) begin = p.parameter;
    if (p.form == Form::kPrefix) begin = p.parameter;
    f.e -= (f.e - begin + f.k) / f.k * f.k;
  }
  if (f.b == f.e) f.k = 1;
  return true;
}

// False if the array is FINE now.
bool TableShadow::commit_indices(Commit& c, IndexRange f) {
  if (!trim(c, f)) return true;
  const Partition to = with_whole_words(refine(p_, f), element_);
  if (!(to == p_)) change(to);
  if (fine()) return false;
  const u64 kept = first_kept(p_);
  if (p_.form == Form::kPrefix && f.e < kept) return true;
  if (p_.form == Form::kPrefix) {
    c.apply(cells_[0], bytes_of(kept));
    return true;
  }
  for_each_part(p_, f, [&](u64 part) { c.apply(cells_[static_cast<u32>(part)], bytes_of(part)); });
  return true;
}

void TableShadow::commit(Commit& c, Footprint& rest) {
  const Footprint& f = c.footprint();
  rest = {};
  if (fine()) {
    rest = f;
    return;
  }
  fit_element(f);
  const u64 first = f.begin / element_, width = f.width / element_;
  bool kept = true;
  if (f.contiguous()) {
    kept = commit_indices(c, {first, (f.end() + element_ - 1) / element_ - 1, 1});
  } else {
    // Elements of the program that are several of ours: each of those is a strided range.
    const u64 last = f.last / element_, step = f.step / element_;
    for (u64 i = 0; i < width && kept; ++i) kept = commit_indices(c, {first + i, last + i, step});
  }
  const usize border = kept_from();
  if (!kept || f.end() <= border) {
    rest = f;
  } else if (f.begin < border) {
    rest = Footprint::run(f.begin, border, f.step == 0 ? f.width : f.step, f.width);
    if (rest.end() <= border) return;
    make_fine();  // an element lies across the border
    rest = f;
  }
}

}  // namespace bigfoot::rt
