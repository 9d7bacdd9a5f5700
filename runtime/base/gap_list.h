// A sorted or otherwise ordered list that is changed here and there, in memory of the pool, with a
// gap where it was changed last:
//
//   | a b c d . . . . e f g |
//
// Inserting and removing cost the distance from the last such place, not the length of the list: a
// sweep that changes a list of n from front to back moves each element about once. For trivially
// copyable elements. Zero-initialised storage is an empty one. Its owner gives the storage back.
#pragma once

#include "runtime/base/check.h"
#include "runtime/base/pool.h"
#include "runtime/base/string.h"
#include "runtime/base/types.h"

namespace bigfoot::rt {

template <class T>
class GapList {
 public:
  u32 size() const { return size_; }
  T& operator[](u32 i) {
    BF_DCHECK(i < size_);
    return items_[i < gap_ ? i : i + room()];
  }
  const T& operator[](u32 i) const {
    BF_DCHECK(i < size_);
    return items_[i < gap_ ? i : i + room()];
  }
  T& back() { return (*this)[size_ - 1]; }
  usize bytes() const { return capacity_ * sizeof(T); }
  // Elements that have been moved by changes so far, for those who keep account of costs.
  u64 moved() const { return moved_; }

  void push(const T& item) { insert(size_, item); }
  void insert(u32 at, const T& item) {
    BF_DCHECK(at <= size_);
    const T copy = item;  // it may be one of ours
    if (room() == 0) grow(capacity_ == 0 ? kFirst : capacity_ * 2);
    move_gap(at);
    items_[gap_++] = copy;
    ++size_;
  }
  // `count` elements of another list, from its `first` on. REQUIRES: it is another one.
  void insert(u32 at, const GapList& from, u32 first, u32 count) {
    BF_DCHECK(at <= size_ && first + count <= from.size_ && this != &from);
    if (room() < count) grow(size_ + count);
    move_gap(at);
    u32 before = from.gap_ > first ? from.gap_ - first : 0;
    if (before > count) before = count;
    copy_bytes(items_ + gap_, from.items_ + first, before * sizeof(T));
    copy_bytes(items_ + gap_ + before, from.items_ + first + before + from.room(),
               (count - before) * sizeof(T));
    gap_ += count;
    size_ += count;
  }
  // Removes [from, to).
  void erase(u32 from, u32 to) {
    BF_DCHECK(from <= to && to <= size_);
    move_gap(to);
    gap_ = from;
    size_ -= to - from;
  }
  // Room for so many, without moving.
  void reserve(u32 wanted) {
    if (wanted > capacity_) grow(wanted);
  }
  void clear() { size_ = gap_ = 0; }
  void release_storage() {
    if (capacity_ != 0) pool_free(items_, bytes());
    *this = {};
  }

 private:
  static constexpr u32 kFirst = 4;

  u32 room() const { return capacity_ - size_; }
  void move_gap(u32 to) {
    const u32 by = room();
    moved_ += gap_ > to ? gap_ - to : to - gap_;
    for (; gap_ > to; --gap_) items_[gap_ - 1 + by] = items_[gap_ - 1];
    for (; gap_ < to; ++gap_) items_[gap_] = items_[gap_ + by];
  }
  void grow(u32 wanted) {
    auto* bigger = static_cast<T*>(pool_allocate(wanted * sizeof(T)));
    const u32 more = wanted - capacity_;
    for (u32 i = 0; i < gap_; ++i) bigger[i] = items_[i];
    for (u32 i = gap_ + room(); i < capacity_; ++i) bigger[i + more] = items_[i];
    if (capacity_ != 0) pool_free(items_, bytes());
    items_ = bigger;
    capacity_ = wanted;
  }

  T* items_ = nullptr;
  u32 size_ = 0;
  u32 capacity_ = 0;
  u32 gap_ = 0;  // elements before it
  u64 moved_ = 0;
};

}  // namespace bigfoot::rt
