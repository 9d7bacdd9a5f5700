#include "runtime/shadow/read_sets.h"

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

// As in the origin depot: lock-free, a set is complete before it is linked, twins are harmless.
ReadSetId ReadSets::intern(const ReadEntry* entries, u32 count) {
  u64 h = hash_of(entries, count);
  u32* bucket = &buckets_[h % kBuckets];
  u32 head = load_acquire(bucket);
  for (u32 i = head; i != 0; i = sets_[i].next) {
    const Set& s = sets_[i];
    if (s.hash == h && s.count == count && same(s.entries, entries, count)) return ReadSetId{i};
  }
  u64 i = fetch_add(&used_, u64{1});
  if (i >= kSets) die("cannot record more sets of concurrent reads", "table full");
  Set& s = sets_[i];
  s.hash = h;
  s.count = count;
  s.entries = arena_new<ReadEntry>(count);
  for (u32 k = 0; k < count; ++k) s.entries[k] = entries[k];
  do s.next = head;
  while (!compare_exchange(bucket, head, static_cast<u32>(i)));
  return ReadSetId{static_cast<u32>(i)};
}

}  // namespace bigfoot::rt
