#include "runtime/sync/lockset.h"

namespace bigfoot::rt {
namespace {
u64 key_of(LocksetId parent, const LockTaken& l) {
  u64 h = static_cast<u64>(parent) * 0x9E3779B97F4A7C15ull;
  h = (h ^ l.address) * 0xC2B2AE3D27D4EB4Full;
  h = (h ^ (h >> 31) ^ raw(l.taken) ^ (l.read_mode ? 1ull << 40 : 0)) * 0x165667B19E3779F9ull;
  return h ^ (h >> 29);
}
// Entries of the buckets: a node, and the bits of its key that there is room for.
constexpr u64 kNodeMask = Locksets::kNodes - 1;
u32 node_of(u64 head) {
  return static_cast<u32>(head & kNodeMask);
}
u64 head_of(u64 key, u32 node) {
  return (key & ~kNodeMask) | node;
}
}  // namespace

void Locksets::initialise() {
  nodes_.reserve();
  buckets_.reserve();
  bucket_bits_ = kFirstBucketBits;
  used_ = 1;
  buckets_.make_present(0, usize{1} << kFirstBucketBits);
}

// Half full at most. A growth that another thread overtakes is made up for by the next node.
void Locksets::grow(u64 nodes) {
  const u32 bits = load_relaxed(&bucket_bits_);
  if (bits >= kMaxBucketBits || nodes <= u64{1} << (bits - 1)) return;
  buckets_.make_present(0, usize{1} << (bits + 2));
  store_relaxed(&bucket_bits_, bits + 2);
}

u32 Locksets::find(u64 key) {
  const u64 head = load_acquire(&bucket(key));
  u32 i = node_of(head);
  if (head == head_of(key, i)) return i;
  while (i != 0 && nodes_[i].key != key) i = nodes_[i].next;
  return i;
}

LocksetId Locksets::add(LocksetId held, const LockTaken& lock) {
  LockTaken l = lock;
  u64 key = key_of(held, l);
  if (u32 known = find(key)) return LocksetId{known};
  if (load_relaxed(&used_) >= kExactNodes) {
    l.address = 0;
    key = key_of(held, l);
    if (u32 known = find(key)) return LocksetId{known};
  }
  u64 i = fetch_add(&used_, u64{1});
  if (i >= kNodes) {
    store_relaxed(&used_, u64{kNodes});
    return held;  // the list is shown without this lock
  }
  grow(i);
  u64* const first = &bucket(key);
  nodes_[i] = {key, l, held, 0};
  u64 head = load_relaxed(first);
  do nodes_[i].next = node_of(head);
  while (!compare_exchange(first, head, head_of(key, static_cast<u32>(i))));
  return LocksetId{static_cast<u32>(i)};
}

u32 Locksets::size(LocksetId id) const {
  u32 n = 0;
  for (; id != kNoLocks; id = nodes_[raw(id)].parent) ++n;
  return n;
}

LocksetId Locksets::oldest(LocksetId id, u32 count) const {
  for (u32 n = size(id); n > count; --n) id = nodes_[raw(id)].parent;
  return id;
}

usize Locksets::list(LocksetId id, LockTaken* out, usize max) const {
  usize n = 0;
  for (; id != kNoLocks; id = nodes_[static_cast<u32>(id)].parent, ++n)
    if (n < max) out[n] = nodes_[static_cast<u32>(id)].lock;
  return n;
}

}  // namespace bigfoot::rt
