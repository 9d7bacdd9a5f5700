// An array that grows, in memory of the pool. For trivially copyable elements: they are moved as
// bytes. Zero-initialised storage is an empty one. Its owner gives the storage back.
#pragma once

#include "runtime/base/check.h"
#include "runtime/base/pool.h"
#include "runtime/base/types.h"

namespace bigfoot::rt {

template <class T>
class Growing {
 public:
  u32 size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](u32 i) {
    BF_DCHECK(i < size_);
    return items_[i];
  }
  const T& operator[](u32 i) const {
    BF_DCHECK(i < size_);
    return items_[i];
  }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  T& back() { return (*this)[size_ - 1]; }
  usize bytes() const { return capacity_ * sizeof(T); }

  void push(const T& item) { insert(size_, item); }
  void insert(u32 at, const T& item) {
    BF_DCHECK(at <= size_);
    const T copy = item;  // it may be one of ours
    if (size_ == capacity_) reserve(capacity_ == 0 ? kFirst : capacity_ * 2);
    for (u32 i = size_; i > at; --i) items_[i] = items_[i - 1];
    items_[at] = copy;
    ++size_;
  }
  // Removes [from, to).
  void erase(u32 from, u32 to) {
    BF_DCHECK(from <= to && to <= size_);
    for (u32 i = to; i < size_; ++i) items_[from + i - to] = items_[i];
    size_ -= to - from;
  }
  // Sets the size; new elements are unspecified.
  void resize(u32 n) {
    if (n > capacity_) reserve(n);
    size_ = n;
  }
  void clear() { size_ = 0; }
  void release_storage() {
    if (capacity_ != 0) pool_free(items_, capacity_ * sizeof(T));
    *this = {};
  }

 private:
  static constexpr u32 kFirst = 4;
  void reserve(u32 wanted) {
    auto* bigger = static_cast<T*>(pool_allocate(wanted * sizeof(T)));
    for (u32 i = 0; i < size_; ++i) bigger[i] = items_[i];
    if (capacity_ != 0) pool_free(items_, capacity_ * sizeof(T));
    items_ = bigger;
    capacity_ = wanted;
  }
  T* items_ = nullptr;
  u32 size_ = 0;
  u32 capacity_ = 0;
};

}  // namespace bigfoot::rt
