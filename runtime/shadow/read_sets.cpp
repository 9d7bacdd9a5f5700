#include "runtime/shadow/read_sets.h"

#include "runtime/base/pool.h"
#include "runtime/base/string.h"

namespace bigfoot::rt {
namespace {
u32 hash_of(const ReadEntry* entries, u32 count) {
  u64 h = count;
  for (u32 i = 0; i < count; ++i) {
    h ^= static_cast<u64>(raw(entries[i].stamp)) << 32 | raw(entries[i].origin);
    h *= 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
  }
  return static_cast<u32>(h);
}
bool same(const ReadEntry* a, const ReadEntry* b, u32 count) {
  for (u32 i = 0; i < count; ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}
}  // namespace

void ReadSets::initialise() {
  sets_.reserve();
  young_.reserve();
}

void ReadSets::fill(Stock& stock) {
  SpinGuard guard(lock_);
  for (u32 i = 0; i < kStock; ++i) {
    u32 id = free_;
    if (id != 0) {
      free_ = sets_[id].next;
    } else {
      if (used_ >= kSets) die("cannot record more sets of concurrent reads", "table full");
      id = static_cast<u32>(used_++);
      if (id % kMadeAtOnce == 1) sets_.make_present(id, kMadeAtOnce);
      if (id == 1) young_.make_present(0, kYoung);
    }
    sets_[id].next = stock.first;
    stock.first = id;
  }
  store_relaxed(&live_, live_ + kStock);
}

u32 ReadSets::take(Stock& stock) {
  if (stock.first == 0) fill(stock);
  const u32 id = stock.first;
  stock.first = sets_[id].next;
  __builtin_prefetch(&sets_[stock.first], 1);  // nobody has been there for long
  return id;
}

bool ReadSets::found_in(const Set& s, Stamp stamp) {
  for (u32 i = 0; i < s.count; ++i)
    if (s.entries()[i].stamp == stamp) return true;
  return false;
}

// Lock-free but for the stock: a set is complete before others can find it.
ReadSetId ReadSets::intern(const Draft& draft, Stock& stock) {
  const ReadEntry* entries = draft.entries;
  const u32 count = draft.count;
  const u32 h = hash_of(entries, count);
  u64* young = &young_[h % kYoung];
  if (const u64 known = load_acquire(young); known >> 32 == h && known != 0) {
    const u32 i = static_cast<u32>(known);
    const Set& s = sets_[i];
    if (s.count == count && same(s.entries(), entries, count)) return ReadSetId{i};
  }
  const u32 id = take(stock);
  Set& s = sets_[id];
  s.slots = draft.wide ? 0 : draft.slots;
  s.count = count;
  s.marked = false;
  if (!s.is_few()) s.many = static_cast<ReadEntry*>(pool_allocate(count * sizeof(ReadEntry)));
  ReadEntry* to = s.is_few() ? s.few : s.many;
  for (u32 k = 0; k < count; ++k) to[k] = entries[k];
  store_release(young, u64{h} << 32 | id);
  return ReadSetId{id};
}

void ReadSets::sweep() {
  zero_bytes(young_.data(), kYoung * sizeof(u64));  // most of it is used again at once
  free_ = 0;
  u64 kept = 0;
  for (u32 i = static_cast<u32>(used_) - 1; i > 0; --i) {
    Set& s = sets_[i];
    if (s.marked) {
      s.marked = false;
      ++kept;
      continue;
    }
    if (!s.is_few()) pool_free(s.many, s.count * sizeof(ReadEntry));
    s.count = 0;
    s.next = free_;
    free_ = i;
  }
  store_relaxed(&live_, kept);
}

}  // namespace bigfoot::rt
