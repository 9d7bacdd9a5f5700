#include "runtime/shadow/read_sets.h"

#include "runtime/base/pool.h"

namespace bigfoot::rt {
namespace {
u64 hash_of(const ReadEntry* entries, u32 count) {
  u64 h = count;
  for (u32 i = 0; i < count; ++i) {
    h ^= static_cast<u64>(raw(entries[i].stamp)) << 32 | raw(entries[i].origin);
    h *= 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
  }
  return h;
}
bool same(const ReadEntry* a, const ReadEntry* b, u32 count) {
  for (u32 i = 0; i < count; ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}
}  // namespace

void ReadSets::initialise() {
  sets_.reserve();
  buckets_.reserve();
}

u32 ReadSets::new_id() {
  SpinGuard guard(lock_);
  store_relaxed(&live_, live_ + 1);
  if (free_ != 0) {
    u32 id = free_;
    free_ = sets_[id].next;
    return id;
  }
  if (used_ >= kSets) die("cannot record more sets of concurrent reads", "table full");
  return static_cast<u32>(used_++);
}

// Finding is lock-free: a set is complete before it is linked. Two threads may intern the same set at
// once; the twins say the same thing.
ReadSetId ReadSets::intern(const ReadEntry* entries, u32 count) {
  u64 h = hash_of(entries, count);
  u32* bucket = &buckets_[h % kBuckets];
  u32 head = load_acquire(bucket);
  for (u32 i = head; i != 0; i = sets_[i].next) {
    const Set& s = sets_[i];
    if (s.hash == h && s.count == count && same(s.entries, entries, count)) return ReadSetId{i};
  }
  u32 id = new_id();
  Set& s = sets_[id];
  s.hash = h;
  s.count = count;
  s.marked = false;
  s.entries = static_cast<ReadEntry*>(pool_allocate(count * sizeof(ReadEntry)));
  for (u32 k = 0; k < count; ++k) s.entries[k] = entries[k];
  do s.next = head;
  while (!compare_exchange(bucket, head, id));
  return ReadSetId{id};
}

void ReadSets::sweep() {
  sys::discard_pages(buckets_.data(), kBuckets * sizeof(u32));
  free_ = 0;
  u64 kept = 0;
  for (u32 i = static_cast<u32>(used_) - 1; i > 0; --i) {
    Set& s = sets_[i];
    if (s.marked) {
      s.marked = false;
      u32* bucket = &buckets_[s.hash % kBuckets];
      s.next = *bucket;
      *bucket = i;
      ++kept;
      continue;
    }
    if (s.entries != nullptr) pool_free(s.entries, s.count * sizeof(ReadEntry));
    s.entries = nullptr;
    s.count = 0;
    s.next = free_;
    free_ = i;
  }
  store_relaxed(&live_, kept);
}

}  // namespace bigfoot::rt
