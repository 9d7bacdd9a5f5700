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
  refinements_ = scattered_ = fresh_ = repeats_ = 0;
  if (forms == ArrayForms::kTable)
    table_.start(array);
  else
    segments_.start(array.size);
  publish(0);
}

void ArrayShadow::release_storage() {
  segments_.release_storage();
  table_.release_storage();
}

void ArrayShadow::note_element(const Footprint& f) {
  if (f.width <= kLargestElement) element_ = static_cast<u8>(gcd(f.width, element_));
}

// An array whose accesses follow no pattern in time may still have few parts (a vector that is read
// at random by everybody), but each of its accesses then costs a commit, tens of times what a check
// in the planes costs. A sixteenth of its elements is what is spent on finding that out.
bool ArrayShadow::is_scattered(const Footprint& f) {
  // Any two elements make a strided range.
  constexpr usize kFew = 2, kAtLeast = 64;
  if (f.count() > kFew || f.width > kLargestElement) return false;
  return ++scattered_ > elements() / 16 + kAtLeast;
}

// A repeated access costs a call here, and there nothing but the inlined test: some 3 ns less. The
// first one of an epoch costs some 8 ns more there, and going there as much for every element.
bool ArrayShadow::is_repetitive(const Commit& c) {
  constexpr u64 kRepeatsPerFresh = 3;
  const Footprint& f = c.footprint();
  const u64 elements_of_f = f.contiguous() ? (f.end() - f.begin) / element() : f.count();
  const u64 fresh = c.recorded() ? elements_of_f : 0;
  fresh_ += fresh;
  if (c.calls() > fresh) repeats_ += c.calls() - fresh;
  return repeats_ > kRepeatsPerFresh * fresh_ + elements();
}

void ArrayShadow::commit(Commit& c, Footprint& rest) {
  note_element(c.footprint());
  if (is_scattered(c.footprint())) make_fine();
  if (forms_ == ArrayForms::kSegments) {
    commit_segments(c, rest);
  } else {
    table_.commit(c, rest);
    refinements_ = table_.refinements();
    publish(table_.kept_from());
  }
  if (is_repetitive(c)) make_fine();
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
    PlaneWriter planes;
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
