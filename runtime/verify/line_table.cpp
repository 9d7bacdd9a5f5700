#include "runtime/verify/line_table.h"

#include "runtime/base/check.h"
#include "runtime/base/hash_map.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt::verify {
namespace {

constexpr usize kFirstCapacity = 1024;

bool something_waits(const Line& l) {
  return (l.waiting_accesses.read | l.waiting_accesses.write | l.waiting_checks.read |
          l.waiting_checks.write) != 0;
}

}  // namespace

Line& LineTable::slot(uptr begin) {
  usize i = mix_bits(begin) & (capacity_ - 1);
  while (entries_[i].begin != kNoLine && entries_[i].begin != begin) i = (i + 1) & (capacity_ - 1);
  return entries_[i];
}

Line* LineTable::find(uptr begin) {
  if (capacity_ == 0) return nullptr;
  Line& l = slot(begin);
  return l.begin == kNoLine ? nullptr : &l;
}

Line& LineTable::get(uptr begin, u64 span) {
  BF_CHECK(begin != kNoLine);
  if (2 * (size_ + 1) > capacity_) resize(capacity_ == 0 ? kFirstCapacity : 2 * capacity_);
  Line& l = slot(begin);
  if (l.begin == kNoLine) {
    l.begin = begin;
    ++size_;
  }
  if (l.span != span) {
    l.span = span;
    l.checked = l.accessed = {};
  }
  return l;
}

void LineTable::resize(usize capacity) {
  Line* old = entries_;
  const usize old_capacity = capacity_;
  entries_ = static_cast<Line*>(sys::map_memory(capacity * sizeof(Line)));
  if (entries_ == nullptr) die("cannot verify", "out of memory");
  capacity_ = capacity;
  for (usize i = 0; i < old_capacity; ++i)
    if (old[i].begin != kNoLine) slot(old[i].begin) = old[i];
  if (old != nullptr) sys::unmap_memory(old, old_capacity * sizeof(Line));
}

void LineTable::keep_waiting() {
  LineTable kept = {};
  for_each([&](const Line& l) {
    if (something_waits(l)) kept.get(l.begin, l.span) = l;
  });
  release_storage();
  *this = kept;
}

void LineTable::release_storage() {
  if (entries_ != nullptr) sys::unmap_memory(entries_, capacity_ * sizeof(Line));
  entries_ = nullptr;
  capacity_ = size_ = 0;
}

}  // namespace bigfoot::rt::verify
