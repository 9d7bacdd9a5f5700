// Synchronisation objects: what the run time knows about a mutex, an atomic, a descriptor.
//
// They are found by address in a table of locked buckets; whoever works on one holds its bucket.
// All objects of one 8-byte word share a bucket, so that the atomics a plain access overlaps are
// found under one lock.
//
// A bucket counts its changes, for those who want to know without the lock whether an object there
// still holds what they have learnt from it (context/settled_loads.h).
#pragma once

#include "runtime/base/spin_lock.h"
#include "runtime/clock/stamp.h"
#include "runtime/clock/vector_clock.h"
#include "runtime/detect/access.h"

namespace bigfoot::rt {

// The atomic accesses of one location that still matter: per slot and size the latest write and the
// latest read. They conflict with plain accesses only.
struct AtomicEntry {
  Stamp stamp;
  Origin origin;
  Slot slot;
  bool writes;
  u8 size;
};

// Most locations have one, which is kept in place: a program makes and frees an object with a count
// of references as often as anything. Zero-initialised storage is a valid start.
class AtomicHistory {
 public:
  constexpr AtomicHistory() = default;
  // Replaces the slot's earlier entry of the same kind and size. Inlined, so that the entry is made
  // where it stays: copied from elsewhere right after its parts were stored, it would have to wait
  // for them (5 ns).
  [[gnu::always_inline]] void record(const AtomicEntry& e) {
    AtomicEntry* to = entries();
    for (u32 i = 0; i < count_; ++i)
      if (to[i].slot == e.slot && to[i].writes == e.writes && to[i].size == e.size) {
        to[i] = e;
        return;
      }
    if (BF_UNLIKELY(count_ >= capacity())) to = grow();
    to[count_++] = e;
  }
  void assign(const AtomicHistory& other);
  void release_storage();
  const AtomicEntry* begin() const { return more_ == nullptr ? &one_ : more_; }
  const AtomicEntry* end() const { return begin() + count_; }
  // Drops the entries for which `gone` says so.
  template <class F>
  void drop_if(F gone) {
    AtomicEntry* const all = entries();
    u32 kept = 0;
    for (u32 i = 0; i < count_; ++i) {
      if (gone(all[i])) continue;
      if (kept != i) all[kept] = all[i];
      ++kept;
    }
    count_ = kept;
  }
  u32 count() const { return count_; }

 private:
  AtomicEntry* entries() { return more_ == nullptr ? &one_ : more_; }
  u32 capacity() const { return more_ == nullptr ? 1 : capacity_; }
  [[gnu::noinline]] AtomicEntry* grow();  // returns the entries

  AtomicEntry* more_ = nullptr;  // null: `one_` is all there is room for
  u32 count_ = 0;
  u32 capacity_ = 0;  // of `more_`
  AtomicEntry one_ = {};
};

// One round of a barrier; lives until every thread of the round has departed.
struct BarrierRound {
  VectorClock arrivals;
  u32 references;
};

struct SyncVar {
  uptr address = 0;
  SyncVar* next = nullptr;  // in the bucket

  VectorClock clock;          // what has been released here
  VectorClock readers;        // released by readers of a lock: acquired by writers only
  ThreadId last = kNoThread;  // the only thread that released here since `clock` was stored

  u8 size = 0;  // of an atomic: bytes, of the largest one here; 0 otherwise
  AtomicHistory atomics;

  bool is_mutex = false;
  bool recursive = false;
  bool read_locked = false;  // has been, at some time
  ThreadId owner = kNoThread;
  u32 depth = 0;
  Origin created = kNoOrigin;
  BarrierRound* round = nullptr;  // the round now filling

  ByteRange bytes() const { return {address, size}; }
};
static_assert(sizeof(SyncVar) <= 128, "a block of the pool; the next larger one has 256 bytes");

class SyncTable {
 public:
  static constexpr usize kBuckets = usize{1} << 16;

  class alignas(32) Bucket {
   public:
    // How often something has been released here, or an object has come from or gone elsewhere. 64
    // bits, so that no count comes back.
    u64 changes() const { return load_acquire(&changes_); }
    // REQUIRES: the lock is held; what changes, and the value of an atomic that goes with it, is
    // changed after this.
    void changes_now() { store_relaxed(&changes_, changes_ + 1); }

    SyncVar* find(uptr address) const;
    SyncVar& get(uptr address, bool& created);
    void remove(uptr address);
    template <class F>
    void for_each_in_word(uptr word, F f) {
      for (SyncVar* v = head_; v != nullptr; v = v->next)
        if ((v->address & ~uptr{7}) == word) f(*v);
    }
    template <class F>
    void for_each(F f) {
      for (SyncVar* v = head_; v != nullptr; v = v->next) f(*v);
    }
    void remove_word(uptr word);
    // Adds the objects of these bytes, all of one word, to the list at `to`: themselves, which are no
    // longer in the table, or copies. A barrier's round that is filling stays with the original.
    void take(ByteRange bytes, SyncVar*& to);
    void copy(ByteRange bytes, SyncVar*& to) const;
    // Into the table under its address, in the place of what was there.
    void put(SyncVar* v);
    SpinLock lock;

    // REQUIRES: in no table.
    static void destroy(SyncVar* v);

   private:
    SyncVar* head_ = nullptr;
    u64 changes_ = 0;
  };

  // The index of the bucket.
  static usize hash(uptr address) { return ((address >> 3) * 0x9E3779B97F4A7C15ull) >> 48; }
  Bucket& bucket(uptr address) { return buckets_[hash(address)]; }
  const Bucket& at(usize hash) const { return buckets_[hash]; }
  // REQUIRES: nobody else can be at work on the table.
  template <class F>
  void for_each(F f) {
    for (Bucket& b : buckets_) b.for_each(f);
  }
  void lock_all();
  void unlock_all();

 private:
  static_assert(kBuckets == usize{1} << 16, "hash() has 16 bits");
  Bucket buckets_[kBuckets];
};

}  // namespace bigfoot::rt
