// Memory for the run time's own tables: bump allocation from mappings of our own, never freed, plus
// tables that grow in place because their address space is reserved at once.
#pragma once

#include "runtime/base/check.h"
#include "runtime/base/spin_lock.h"
#include "runtime/base/types.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {

// Zeroed memory that lives until the process ends. Thread-safe. Ends the process if there is none.
void* arena_allocate(usize bytes, usize align = 16);
usize arena_bytes();
void arena_before_fork();
void arena_after_fork();

template <class T>
T* arena_new(usize count = 1) {
  return static_cast<T*>(arena_allocate(sizeof(T) * count, alignof(T) < 16 ? 16 : alignof(T)));
}

// A table of Capacity zero-initialised elements whose pages appear when touched. Trivial T only.
template <class T, usize Capacity>
class ReservedTable {
 public:
  static constexpr usize kCapacity = Capacity;
  void reserve() {
    if (data_ != nullptr) return;
    data_ = static_cast<T*>(sys::map_memory(sizeof(T) * Capacity));
    if (data_ == nullptr) die("cannot reserve address space for a table", "out of memory");
  }
  // Makes the pages of these elements present. For tables that are looked into before they are
  // written to: the look would map the page of zeros, and the write has to replace that, which
  // interrupts every other processor the program runs on.
  void make_present(usize first, usize count) {
    const uptr begin = reinterpret_cast<uptr>(data_ + first) & ~(sys::kPageBytes - 1);
    const uptr end = reinterpret_cast<uptr>(data_ + first + count);
    sys::populate_pages(reinterpret_cast<void*>(begin), end - begin);
  }
  T& operator[](usize i) { return data_[i]; }
  const T& operator[](usize i) const { return data_[i]; }
  T* data() { return data_; }
  bool reserved() const { return data_ != nullptr; }

 private:
  T* data_ = nullptr;
};

}  // namespace bigfoot::rt
