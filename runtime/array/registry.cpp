#include "runtime/array/registry.h"

namespace bigfoot::rt {

namespace {
constexpr usize kLargeCheck = 1024;
}

void ArrayRegistry::initialise(ArrayForms forms, const OriginDepot* learns_from,
                               bool for_large_checks) {
  forms_ = forms;
  origins_ = learns_from;
  for_large_checks_ = for_large_checks;
  by_number_.reserve();
  ranges_.initialise();
}

void ArrayRegistry::set_plain(const heap::NumberedBlock& block, bool plain) {
  if (block.number < ArrayRanges::kFirstNumber)
    heap::set_plain(block.bytes.begin, plain);
  else
    ranges_.set_plain(block.number, plain);
}

ArrayRecord* ArrayRegistry::find(uptr address) const {
  const heap::NumberedBlock block = block_at(address);
  if (block.bytes.size == 0) return nullptr;
  ArrayRecord* r = load_acquire(&by_number_[block.number]);
  if (r == nullptr || !r->shadow.array().contains(address)) return nullptr;
  return r;
}

// REQUIRES: lock_.
ArrayRecord* ArrayRegistry::new_record() {
  if (ArrayRecord* r = free_) {
    free_ = r->next_free;
    return r;
  }
  auto* r = arena_new<ArrayRecord>();
  r->next = all_;
  store_release(&all_, r);
  return r;
}

// REQUIRES: the record's lock.
void ArrayRegistry::settle_in(ArrayRecord& r, const heap::NumberedBlock& block) const {
  r.place = origins_ == nullptr ? kNoPlace : place_of(*origins_, block.allocated);
  r.home = block.number < ArrayRanges::kFirstNumber ? ArrayHome::kHeap
           : block.allocated == kNoOrigin           ? ArrayHome::kGlobal
                                                    : ArrayHome::kMapping;
}

// REQUIRES: lock_.
void ArrayRegistry::start(ArrayRecord& r, const heap::NumberedBlock& block, usize checked) {
  SpinGuard array(r.lock);
  settle_in(r, block);
  const bool promising =
      (!for_large_checks_ || checked >= kLargeCheck) && places_.promising(r.place);
  if (promising)
    r.shadow.start(block.bytes, forms_);
  else
    r.shadow.start_fine(block.bytes, forms_);
  r.judged = !promising;
  ++r.generation;
  if (!promising) set_plain(block, true);
}

// REQUIRES: lock_ and the record's.
void ArrayRegistry::judge(ArrayRecord& r) {
  if (!r.judged) places_.add(r.place, r.shadow.account());
  r.judged = true;
}

void ArrayRegistry::gone_fine(ArrayRecord& r, u32 generation) {
  SpinGuard guard(lock_);
  SpinGuard array(r.lock);
  if (r.generation != generation) return;
  judge(r);
  // Who accesses memory that is freed may find other blocks there.
  const uptr begin = r.shadow.array().begin;
  const heap::NumberedBlock block = block_at(begin);
  if (block.bytes.begin == begin && load_relaxed(&by_number_[block.number]) == &r)
    set_plain(block, true);
}

ArrayRecord* ArrayRegistry::get(uptr address, usize checked) {
  heap::NumberedBlock block = block_at(address);
  if (block.bytes.size == 0) return nullptr;
  ArrayRecord* r = load_acquire(&by_number_[block.number]);
  if (BF_UNLIKELY(r == nullptr)) {
    SpinGuard guard(lock_);
    block = block_at(address);  // ranges do not change now
    if (block.bytes.size == 0) return nullptr;
    ArrayRecord** entry = &by_number_[block.number];
    r = load_acquire(entry);
    if (r == nullptr && closed_) return nullptr;
    if (r == nullptr) {
      r = new_record();
      start(*r, block, checked);
      store_release(entry, r);
    }
  }
  // The facts of a block may change under us (a use after free): then it is nobody's array.
  return r->shadow.array().contains(address) ? r : nullptr;
}

void ArrayRegistry::close() {
  {
    SpinGuard guard(lock_);
    closed_ = true;
  }
  for_each([](ArrayRecord& r) {
    SpinGuard array(r.lock);
    if (r.generation % 2 != 0) r.shadow.make_fine();
  });
}

void ArrayRegistry::end(uptr begin) {
  const heap::NumberedBlock block = heap::numbered_block(begin);
  if (block.bytes.size == 0) return;
  ArrayRecord** entry = &by_number_[block.number];
  if (load_acquire(entry) == nullptr) return;
  SpinGuard guard(lock_);
  ArrayRecord* r = load_acquire(entry);
  if (r == nullptr) return;
  SpinGuard array(r->lock);
  count(ended_, *r);
  set_plain(block, false);  // the block may be another one by now
  drop(*r, block.number);
}

// REQUIRES: lock_ and the record's.
void ArrayRegistry::drop(ArrayRecord& r, u32 number) {
  judge(r);
  r.shadow.release_storage();
  ++r.generation;
  store_release(&by_number_[number], static_cast<ArrayRecord*>(nullptr));
  r.next_free = free_;
  free_ = &r;
}

bool ArrayRegistry::add(ByteRange memory, Origin allocated) {
  BF_DCHECK(((memory.begin | memory.size) & 7) == 0);
  SpinGuard guard(lock_);
  return !closed_ && ranges_.add(memory, allocated);
}

void ArrayRegistry::cut(ByteRange range) {
  SpinGuard guard(lock_);
  for (;;) {
    const heap::NumberedBlock found = ranges_.first_in(range);
    if (found.bytes.size == 0) return;
    Remainder left[2] = {{.bytes = found.bytes}, {.bytes = found.bytes}};
    left[0].bytes.size = found.bytes.begin < range.begin ? range.begin - found.bytes.begin : 0;
    left[1].bytes.size = found.bytes.end() > range.end() ? found.bytes.end() - range.end() : 0;
    left[1].bytes.begin = found.bytes.end() - left[1].bytes.size;
    const bool has_record = load_relaxed(&by_number_[found.number]) != nullptr;
    if (has_record) take_remainders(found, left);
    ranges_.remove(found.number);
    for (Remainder& r : left) add_remainder(r, found, has_record);
  }
}

// The record of the array goes. REQUIRES: lock_.
void ArrayRegistry::take_remainders(const heap::NumberedBlock& from, Remainder (&left)[2]) {
  ArrayRecord& r = *load_relaxed(&by_number_[from.number]);
  SpinGuard array(r.lock);
  bool copied = true;
  for (Remainder& part : left) {
    if (part.bytes.size == 0) continue;
    const usize begin = part.bytes.begin - from.bytes.begin;
    copied = copied && r.shadow.copy(begin, begin + part.bytes.size, 0, part.history);
  }
  if (!copied) {
    r.shadow.make_fine();
    for (Remainder& part : left) {
      part.history.release_storage();
      part.in_planes = true;
    }
  }
  // An array that is only cut goes on.
  if (left[0].bytes.size + left[1].bytes.size == 0) count(ended_, r);
  drop(r, from.number);
}

// It is an array itself if it is large enough and there is room for one more. REQUIRES: lock_.
void ArrayRegistry::add_remainder(Remainder& left, const heap::NumberedBlock& from,
                                  bool has_record) {
  if (left.bytes.size == 0) return;
  const bool added = ranges_.add(left.bytes, from.allocated);
  if (!has_record || (!added && left.in_planes)) return;
  if (!added) {
    ArrayShadow none{};
    none.start(left.bytes, forms_);
    none.replace(left.history);
    none.make_fine();
    return none.release_storage();
  }
  const heap::NumberedBlock block = ranges_.find(left.bytes.begin);
  ArrayRecord& r = *new_record();
  SpinGuard array(r.lock);
  settle_in(r, block);
  r.judged = left.in_planes;
  ++r.generation;
  if (left.in_planes) {
    r.shadow.start_fine(left.bytes, forms_);
    set_plain(block, true);
  } else {
    r.shadow.start(left.bytes, forms_);
    r.shadow.replace(left.history);
  }
  store_release(&by_number_[block.number], &r);
}

void ArrayRegistry::count(ArrayCounts& to, const ArrayRecord& r) {
  const ArrayShadow& shadow = r.shadow;
  ++to.arrays[static_cast<usize>(shadow.mode())];
  ++to.homes[static_cast<usize>(r.home)];
  to.elements += shadow.elements();
  to.locations += shadow.locations();
  to.refinements += shadow.refinements();
}

ArrayCounts ArrayRegistry::counts() {
  ArrayCounts all;
  {
    SpinGuard guard(lock_);
    all = ended_;
  }
  for_each([&](ArrayRecord& r) {
    SpinGuard array(r.lock);
    if (r.generation % 2 != 0) count(all, r);
  });
  return all;
}

// A thread that was at work may have left an array half done. Nothing that happened matters to the
// child, which is alone; so that one starts again.
void ArrayRegistry::forked_child() {
  lock_.reset_after_fork();
  for_each([&](ArrayRecord& r) {
    store_relaxed(&r.pending, u32{0});
    if (r.lock.try_lock()) return r.lock.unlock();
    r.lock.reset_after_fork();
    if (r.generation % 2 == 0) return;
    const ByteRange array = r.shadow.array();
    r.shadow = {};
    r.shadow.start(array, forms_);
    clear_history({array.begin, (array.size + 7) & ~usize{7}}, nullptr, nullptr);
  });
}

}  // namespace bigfoot::rt
