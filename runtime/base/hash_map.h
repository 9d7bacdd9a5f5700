// A hash map from nonzero words to small values, in mappings of its own; only ever grows.
//
// Not thread-safe. Linear probing, at most half full: a lookup touches one or two cache lines.
#pragma once

#include "runtime/base/check.h"
#include "runtime/base/string.h"
#include "runtime/base/types.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {

// Every bit of the result depends on every bit of `v`.
constexpr u64 mix_bits(u64 v) {
  v = (v ^ (v >> 32)) * 0xd6e8feb86659fd93ull;
  v = (v ^ (v >> 32)) * 0xd6e8feb86659fd93ull;
  return v ^ (v >> 32);
}

// Value is trivially copyable and starts out as zero bytes.
template <class Value>
class HashMap {
 public:
  HashMap() = default;
  HashMap(const HashMap&) = delete;
  HashMap& operator=(const HashMap&) = delete;
  ~HashMap() {
    if (entries_ != nullptr) sys::unmap_memory(entries_, capacity_ * sizeof(Entry));
  }

  usize size() const { return size_; }

  // Null if absent. The pointer is valid until the next insert.
  Value* find(u64 key) {
    if (capacity_ == 0) return nullptr;
    Entry& e = slot(key);
    return e.key == key ? &e.value : nullptr;
  }

  struct Insertion {
    Value* value;
    bool fresh;
  };
  // REQUIRES: key != 0.
  Insertion insert(u64 key) {
    BF_CHECK(key != 0);
    if (2 * (size_ + 1) > capacity_) grow();
    Entry& e = slot(key);
    const bool fresh = e.key == 0;
    if (fresh) {
      e.key = key;
      ++size_;
    }
    return {&e.value, fresh};
  }

 private:
  struct Entry {
    u64 key;
    Value value;
  };

  Entry& slot(u64 key) {
    usize i = mix_bits(key) & (capacity_ - 1);
    while (entries_[i].key != 0 && entries_[i].key != key) i = (i + 1) & (capacity_ - 1);
    return entries_[i];
  }

  void grow() {
    Entry* old = entries_;
    const usize old_capacity = capacity_;
    capacity_ = old_capacity == 0 ? 1024 : 2 * old_capacity;
    entries_ = static_cast<Entry*>(sys::map_memory(capacity_ * sizeof(Entry)));
    if (entries_ == nullptr) die("cannot enlarge a table of the run time", "out of memory");
    for (usize i = 0; i < old_capacity; ++i)
      if (old[i].key != 0) slot(old[i].key) = old[i];
    if (old != nullptr) sys::unmap_memory(old, old_capacity * sizeof(Entry));
  }

  Entry* entries_ = nullptr;
  usize capacity_ = 0;
  usize size_ = 0;
};

}  // namespace bigfoot::rt
