#include "runtime/sync/lockset.h"

#include "runtime/base/pool.h"

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

// --- by epochs
// --------------------------------------------------------------------------------------

LocksetId EpochLocks::get(Stamp epoch) const {
  const List* list = lists_[raw(epoch) / StampTable::kChunkStamps];
  if (list != nullptr) return listed(*list, raw(epoch) % StampTable::kChunkStamps);
  return LocksetId{load_relaxed(&of_[raw(epoch)])};
}

LocksetId EpochLocks::listed(const List& list, u32 offset) const {
  u64 from = 0, to = list.count;
  while (from < to) {
    const u64 middle = (from + to) / 2;
    if (list.entries()[middle].offset < offset)
      from = middle + 1;
    else
      to = middle;
  }
  const bool found = from < list.count && list.entries()[from].offset == offset;
  BF_DCHECK(found);
  return found ? LocksetId{list.entries()[from].locks} : kNoLocks;
}

void EpochLocks::make_list(const StampTable::ChunkState& chunk) {
  const u32 count = chunk.marks.count();
  List* const old = lists_[chunk.number];
  if (count > (old == nullptr ? kMostListed : old->count / 2)) return;
  auto* list = static_cast<List*>(pool_allocate(bytes_of(count)));
  list->count = 0;
  const u32 first = chunk.number * StampTable::kChunkStamps;
  for (u32 offset = 0; offset < StampTable::kChunkStamps; ++offset)
    if (chunk.marks.at(offset))
      list->entries()[list->count++] = {offset, raw(get(Stamp{first + offset}))};
  if (old == nullptr)
    sys::discard_pages(&of_[first], sys::kPageBytes);
  else
    drop_list(chunk.number);
  lists_[chunk.number] = list;
  ++list_count_;
}

void EpochLocks::drop_list(u32 chunk) {
  List* const list = lists_[chunk];
  if (list == nullptr) return;
  lists_[chunk] = nullptr;
  --list_count_;
  pool_free(list, bytes_of(list->count));
}

void EpochLocks::sweep(const StampTable& stamps, u32 pages) {
  u32 kept = 0, gone_from = 0, gone_to = 0;
  const auto discard_run = [&] {
    if (gone_from != gone_to)
      sys::discard_pages(&of_[usize{gone_from} * StampTable::kChunkStamps],
                         usize{gone_to - gone_from} * sys::kPageBytes);
  };
  stamps.for_each_chunk([&](const StampTable::ChunkState& chunk) {
    if (chunk.use == StampTable::Use::kOpen) return;
    if (chunk.use == StampTable::Use::kMarked) return make_list(chunk);
    drop_list(chunk.number);
    if (kept++ < pages) return;
    if (gone_to != chunk.number) {
      discard_run();
      gone_from = chunk.number;
    }
    gone_to = chunk.number + 1;
  });
  discard_run();
}

}  // namespace bigfoot::rt
