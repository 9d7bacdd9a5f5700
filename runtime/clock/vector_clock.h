// Vector clocks: for every slot the latest time of it that is known to have happened before.
//
// Dense and grown on demand: programs have few slots (they are reused), and a join over a dense
// array is a vectorised maximum. Absent entries are zero, which no slot ever uses as a time. Not
// thread-safe: a thread's clock belongs to it, an object's clock to the holder of its lock.
#pragma once

#include "runtime/base/check.h"
#include "runtime/base/types.h"

namespace bigfoot::rt {

class VectorClock {
 public:
  constexpr VectorClock() = default;
  VectorClock(const VectorClock&) = delete;
  VectorClock& operator=(const VectorClock&) = delete;

  Clock get(Slot s) const { return index(s) < size_ ? times_[index(s)] : 0; }
  void set(Slot s, Clock c) {
    if (BF_LIKELY(index(s) < size_))
      times_[index(s)] = c;
    else
      add(s, c);
  }
  void join(const VectorClock& other);    // componentwise maximum
  void assign(const VectorClock& other);  // becomes a copy
  void clear();                           // all zero; keeps the storage
  void release_storage();                 // all zero; gives the storage back
  bool empty() const { return size_ == 0; }
  bool covers(const VectorClock& other) const;  // other <= *this in every component
  u32 size() const { return size_; }

 private:
  void reserve(u32 n);
  BF_SPARE void add(Slot s, Clock c);  // REQUIRES: index(s) >= size_
  Clock* times_ = nullptr;
  u32 size_ = 0;  // entries beyond are zero
  u32 capacity_ = 0;
};

}  // namespace bigfoot::rt
