#include "runtime/array/registry.h"

namespace bigfoot::rt {

void ArrayRegistry::initialise(ArrayForms forms, const OriginDepot* learns_from) {
  forms_ = forms;
  origins_ = learns_from;
  by_number_.reserve();
}

ArrayRecord* ArrayRegistry::find(uptr address) const {
  const heap::NumberedBlock block = heap::numbered_block(address);
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

// REQUIRES: lock_.
void ArrayRegistry::start(ArrayRecord& r, const heap::NumberedBlock& block) {
  SpinGuard array(r.lock);
  r.place = origins_ == nullptr ? kNoPlace : place_of(*origins_, block.allocated);
  const bool promising = places_.promising(r.place);
  if (promising)
    r.shadow.start(block.bytes, forms_);
  else
    r.shadow.start_fine(block.bytes, forms_);
  r.judged = !promising;
  ++r.generation;
  if (!promising) heap::set_plain(block.bytes.begin, true);
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
  const heap::NumberedBlock block = heap::numbered_block(begin);
  if (block.bytes.begin == begin && load_relaxed(&by_number_[block.number]) == &r)
    heap::set_plain(begin, true);
}

ArrayRecord* ArrayRegistry::get(uptr address) {
  const heap::NumberedBlock block = heap::numbered_block(address);
  if (block.bytes.size == 0) return nullptr;
  ArrayRecord** entry = &by_number_[block.number];
  ArrayRecord* r = load_acquire(entry);
  if (BF_UNLIKELY(r == nullptr)) {
    SpinGuard guard(lock_);
    r = load_acquire(entry);
    if (r == nullptr && closed_) return nullptr;
    if (r == nullptr) {
      r = new_record();
      start(*r, block);
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

bool ArrayRegistry::end(uptr begin) {
  const heap::NumberedBlock block = heap::numbered_block(begin);
  if (block.bytes.size == 0) return false;
  ArrayRecord** entry = &by_number_[block.number];
  if (load_acquire(entry) == nullptr) return false;
  SpinGuard guard(lock_);
  ArrayRecord* r = load_acquire(entry);
  if (r == nullptr) return false;
  SpinGuard array(r->lock);
  count(ended_, r->shadow);
  judge(*r);
  heap::set_plain(begin, false);  // the block may be another one by now
  const bool compressed = r->shadow.fine_until() == 0 && r->shadow.array().begin == begin &&
                          r->shadow.array().size >= block.bytes.size;
  r->shadow.release_storage();
  ++r->generation;
  store_release(entry, static_cast<ArrayRecord*>(nullptr));
  r->next_free = free_;
  free_ = r;
  return compressed;
}

void ArrayRegistry::count(ArrayCounts& to, const ArrayShadow& shadow) {
  ++to.arrays[static_cast<usize>(shadow.mode())];
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
    if (r.generation % 2 != 0) count(all, r.shadow);
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
