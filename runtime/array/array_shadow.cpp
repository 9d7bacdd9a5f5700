#include "runtime/array/array_shadow.h"

#include "runtime/base/numbers.h"
#include "runtime/detect/install.h"

namespace bigfoot::rt {
namespace {

// Elements have 1 to 64 bytes; larger accesses are of many at once.
constexpr usize kLargestElement = 64;

}  // namespace

void ArrayShadow::start(ByteRange array, ArrayForms forms) {
  array_ = array;
  forms_ = forms;
  element_ = 0;
  refinements_ = 0;
  account_ = {};
  used_ = {};
  if (forms == ArrayForms::kTable)
    table_.start(array);
  else
    segments_.start(array.size);
  set_crowd();
  moved_ = segments_.moved();
  publish(0);
}

void ArrayShadow::start_fine(ByteRange array, ArrayForms forms) {
  start(array, forms);
  publish(array.size);
}

void ArrayShadow::release_storage() {
  segments_.release_storage();
  table_.release_storage();
}

void ArrayShadow::note_element(usize size) {
  if (size <= kLargestElement) element_ = static_cast<u8>(gcd(size, element_));
}

void ArrayShadow::note_used(usize begin, usize end) {
  if (used_.size == 0) used_ = {begin, 0};
  if (end < used_.end()) end = used_.end();
  if (begin > used_.begin) begin = used_.begin;
  used_ = {begin, end - begin};
}

// Keeps the account of what the array costs here, and what it would cost in the planes, in units of
// the first access of an epoch to a cell there (8 ns). An array whose accesses follow no pattern in
// time may still have few parts (a vector that is read at random by everybody), but then every
// access is a commit. And where the same elements are accessed again and again in an epoch, that is
// a call each here and settled by the inlined test there.
void ArrayShadow::keep_account(const Commit& c) {
  constexpr u64 kCommit = 16, kRepeatsPerUnit = 3, kWalkedPerUnit = 8, kMovedPerUnit = 3;
  const Footprint& f = c.footprint();
  const u64 covered = f.contiguous() ? (f.end() - f.begin) / element() : f.count();
  const u64 fresh = c.recorded() ? covered : 0;
  const u64 repeats = c.calls() > fresh ? c.calls() - fresh : 0;
  const u64 moved = segments_.moved();
  account_.here += kCommit + repeats / kRepeatsPerUnit + (moved - moved_) / kMovedPerUnit;
  moved_ = moved;
  // A range that is repeated is walked over there.
  account_.there += c.recorded() ? fresh : c.calls() < covered ? covered / kWalkedPerUnit : 0;
}

// Going there costs about a unit for each element; blank ones are passed over. Those between the
// first and the last one in use count, also where nothing is recorded of them any more: there is no
// way back, and what was accessed one by one may be swept later. So do at least 64 Ki, half a
// millisecond, of an array that has them. Of a database's file, a mapping of 1 GiB, little is ever
// used: as long as all its elements counted, LMDB never got there.
u64 ArrayShadow::price_of_going() const {
  constexpr u64 kAtLeast = u64{1} << 16;
  const u64 all = elements(), used = used_.size / element();
  return all < kAtLeast ? all : used < kAtLeast ? kAtLeast : used;
}

// The price is added once it has been done.
bool ArrayShadow::better_in_planes() const {
  constexpr u64 kAtLeast = 1024;
  return account_.here > account_.there + price_of_going() + kAtLeast;
}

void ArrayShadow::commit(Commit& c, Footprint& rest) {
  const bool was_fine = fine();
  note_element(c.size());
  note_used(c.footprint().begin, c.footprint().end());
  if (forms_ == ArrayForms::kSegments) {
    commit_segments(c, rest);
  } else {
    table_.commit(c, rest);
    refinements_ = table_.refinements();
    publish(table_.kept_from());
  }
  if (was_fine) return;
  if (!fine()) {
    keep_account(c);
    if (better_in_planes()) make_fine();
  }
  if (fine()) account_.here += price_of_going();
}

// Half of what there may be, or half of the room that the last try has left.
void ArrayShadow::set_crowd() {
  const u64 now = segments_.locations(), cap = segments_.cap();
  crowd_ = now < cap / 2 ? cap / 2 : now + (cap - now) / 2;
}

void ArrayShadow::commit_segments(Commit& c, Footprint& rest) {
  rest = {};
  if (fine()) {
    rest = c.footprint();
    return;
  }
  const u64 before = segments_.locations();
  if (segments_.commit(c)) {
    if (segments_.locations() > before) ++refinements_;
    return;
  }
  make_fine();
  rest = c.footprint();
}

void ArrayShadow::make_fine() {
  if (fine()) return;
  if (forms_ == ArrayForms::kTable) {
    table_.make_fine();
  } else {
    PlaneWriter planes(element());
    segments_.for_each_run([&](usize begin, usize end, const Cell& c) {
      planes.put({array_.begin + begin, end - begin}, c);
    });
    planes.finish();
    segments_.release_storage();
  }
  publish(array_.size);
}

void ArrayShadow::clear(usize begin, usize end) {
  if (fine()) return;
  if (begin == 0 && end >= array_.size) {
    const ArrayForms forms = forms_;
    release_storage();
    start(array_, forms);
  } else if (forms_ == ArrayForms::kTable || !segments_.clear(begin, end)) {
    make_fine();
  }
}

void ArrayShadow::replace(Segments& part) {
  note_used(part.begin(), part.bytes());
  if (forms_ == ArrayForms::kSegments && !fine()) {
    const bool fits = segments_.replace(part);
    moved_ = segments_.moved();
    if (!fits) make_fine();
    return;
  }
  make_fine();
  PlaneWriter planes(element());
  part.for_each_run([&](usize begin, usize end, const Cell& c) {
    clear_history({array_.begin + begin, end - begin}, nullptr, nullptr);
    planes.put({array_.begin + begin, end - begin}, c);
  });
  planes.finish();
  part.release_storage();
}

bool ArrayShadow::like(const ArrayShadow& other) const {
  const bool listed = forms_ == ArrayForms::kSegments && other.forms_ == ArrayForms::kSegments;
  return listed && (fine_until() | other.fine_until()) == 0 && array_.size == other.array_.size;
}

bool ArrayShadow::copy_all_to(ArrayShadow& to) const {
  if (!like(to)) return false;
  segments_.copy_all_to(to.segments_);
  to.note_used(used_.begin, used_.end());
  to.moved_ = to.segments_.moved();
  return true;
}

bool ArrayShadow::move_all_to(ArrayShadow& to) {
  if (!like(to)) return false;
  segments_.move_all_to(to.segments_);
  to.note_used(used_.begin, used_.end());
  moved_ = segments_.moved();
  to.moved_ = to.segments_.moved();
  return true;
}

void ArrayShadow::move_to(uptr begin) {
  BF_DCHECK(fine_until() == 0);
  array_.begin = begin;
  table_.move_to(begin);
}

u64 ArrayShadow::locations() const {
  if (fine()) return elements();
  return forms_ == ArrayForms::kTable ? table_.locations() : segments_.locations();
}

ArrayMode ArrayShadow::mode() const {
  if (fine()) return ArrayMode::kFine;
  if (forms_ == ArrayForms::kTable) return static_cast<ArrayMode>(table_.partition().form);
  return segments_.locations() == 1 ? ArrayMode::kCoarse : ArrayMode::kSegments;
}

}  // namespace bigfoot::rt
