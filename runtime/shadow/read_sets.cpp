#include "runtime/shadow/read_sets.h"

#include "runtime/base/pool.h"
#include "runtime/base/string.h"

namespace bigfoot::rt {
namespace {
u32 hash_of(const ReadEntry* entries, u32 count) {
  u64 h = count;
  for (u32 i = 0; i < count; ++i) {
    h ^= packed(entries[i]);
    h *= 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
  }
  return static_cast<u32>(h);
}
bool same(const u64* a, const ReadEntry* b, u32 count) {
  for (u32 i = 0; i < count; ++i)
    if (a[i] != packed(b[i])) return false;
  return true;
}

constinit ReadSets* sets_of_planes = nullptr;
}  // namespace

void ReadSets::initialise() {
  sets_.reserve();
  young_.reserve();
  if (used_ == 0) used_ = 1;
  sets_of_planes = this;
}

void close_reads(const Cell& c) {
  if (BF_UNLIKELY(c.read_by_many())) sets_of_planes->close(read_set_of(c.read));
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
    if (unpacked(s.entries()[i]).stamp == stamp) return true;
  return false;
}

void ReadSets::close(Set& s) {
  u64* const entries = s.entries();
  for (u32 i = 0; i < s.count; ++i)
    if ((load_acquire(&entries[i]) & kOpenEntry) != 0) fetch_and(&entries[i], ~kOpenEntry);
}

bool ReadSets::is_open(const Set& s) {
  for (u32 i = 0; i < s.count; ++i)
    if ((s.entries()[i] & kOpenEntry) != 0) return true;
  return false;
}

u32 ReadSets::make(const Draft& draft, Stock& stock, bool own) {
  const u32 id = take(stock);
  Set& s = sets_[id];
  s.slots = draft.wide ? 0 : draft.slots;
  s.count = draft.count;
  s.marked = false;
  s.own = own;
  s.uses = 0;
  if (!s.is_few()) s.many = static_cast<u64*>(pool_allocate(s.count * sizeof(u64)));
  u64* to = s.entries();
  for (u32 k = 0; k < s.count; ++k) to[k] = packed(draft.entries[k]) | (own ? kOpenEntry : 0);
  return id;
}

ReadSetId ReadSets::make_own(const Draft& draft, Stock& stock) {
  BF_DCHECK(!draft.wide);
  return ReadSetId{make(draft, stock, true)};
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
    if (s.count == count && same(s.entries(), entries, count)) {
      note_use(ReadSetId{i});
      return ReadSetId{i};
    }
  }
  const u32 id = make(draft, stock, false);
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
    if (!s.is_few()) pool_free(s.many, s.count * sizeof(u64));
    s.count = 0;
    s.next = free_;
    free_ = i;
  }
  store_relaxed(&live_, kept);
}

}  // namespace bigfoot::rt
