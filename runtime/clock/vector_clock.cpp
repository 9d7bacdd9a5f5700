#include "runtime/clock/vector_clock.h"

#include "runtime/base/pool.h"
#include "runtime/base/string.h"

namespace bigfoot::rt {

void VectorClock::reserve(u32 n) {
  if (n <= capacity_) return;
  u32 wanted = capacity_ == 0 ? 8 : capacity_;
  while (wanted < n) wanted *= 2;
  auto* bigger = static_cast<Clock*>(pool_allocate(wanted * sizeof(Clock)));
  copy_bytes(bigger, times_, size_ * sizeof(Clock));
  pool_free(times_, capacity_ * sizeof(Clock));
  times_ = bigger;
  capacity_ = wanted;
}

void VectorClock::add(Slot s, Clock c) {
  u32 i = index(s);
  reserve(i + 1);
  for (u32 k = size_; k < i; ++k) times_[k] = 0;
  size_ = i + 1;
  times_[i] = c;
}

void VectorClock::join(const VectorClock& other) {
  reserve(other.size_);
  u32 common = size_ < other.size_ ? size_ : other.size_;
  for (u32 i = 0; i < common; ++i)
    if (times_[i] < other.times_[i]) times_[i] = other.times_[i];
  for (u32 i = common; i < other.size_; ++i) times_[i] = other.times_[i];
  if (size_ < other.size_) size_ = other.size_;
}

void VectorClock::assign(const VectorClock& other) {
  if (this == &other) return;
  size_ = 0;
  reserve(other.size_);
  for (u32 i = 0; i < other.size_; ++i) times_[i] = other.times_[i];
  size_ = other.size_;
}

void VectorClock::clear() {
  size_ = 0;
}

void VectorClock::release_storage() {
  pool_free(times_, capacity_ * sizeof(Clock));
  times_ = nullptr;
  size_ = capacity_ = 0;
}

bool VectorClock::covers(const VectorClock& other) const {
  for (u32 i = 0; i < other.size_; ++i)
    if (other.times_[i] > get(Slot{i})) return false;
  return true;
}

}  // namespace bigfoot::rt
