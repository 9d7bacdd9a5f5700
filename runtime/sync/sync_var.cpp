#include "runtime/sync/sync_var.h"

#include "runtime/base/pool.h"
#include "runtime/base/string.h"

namespace bigfoot::rt {

AtomicEntry* AtomicHistory::grow() {
  const u32 wanted = capacity() * 2;
  auto* bigger = static_cast<AtomicEntry*>(pool_allocate(wanted * sizeof(AtomicEntry)));
  copy_bytes(bigger, entries(), count_ * sizeof(AtomicEntry));
  pool_free(more_, capacity_ * sizeof(AtomicEntry));
  more_ = bigger;
  capacity_ = wanted;
  return more_;
}

void AtomicHistory::assign(const AtomicHistory& other) {
  count_ = 0;
  for (const AtomicEntry& e : other) record(e);
}

void AtomicHistory::release_storage() {
  pool_free(more_, capacity_ * sizeof(AtomicEntry));
  more_ = nullptr;
  count_ = capacity_ = 0;
}

SyncVar* SyncTable::Bucket::find(uptr address) const {
  for (SyncVar* v = head_; v != nullptr; v = v->next)
    if (v->address == address) return v;
  return nullptr;
}

SyncVar& SyncTable::Bucket::get(uptr address, bool& created) {
  created = false;
  if (SyncVar* v = find(address)) return *v;
  created = true;
  auto* v = static_cast<SyncVar*>(pool_allocate(sizeof(SyncVar)));
  zero_bytes(v, sizeof(SyncVar));
  v->owner = v->last = kNoThread;
  v->address = address;
  v->next = head_;
  head_ = v;
  return *v;
}

void SyncTable::Bucket::destroy(SyncVar* v) {
  v->clock.release_storage();
  v->readers.release_storage();
  v->atomics.release_storage();
  // A round still filling belongs to the threads waiting in it.
  pool_free(v, sizeof(SyncVar));
}

void SyncTable::Bucket::remove(uptr address) {
  for (SyncVar** link = &head_; *link != nullptr; link = &(*link)->next) {
    if ((*link)->address != address) continue;
    SyncVar* gone = *link;
    changes_now();
    *link = gone->next;
    destroy(gone);
    return;
  }
}

void SyncTable::Bucket::remove_word(uptr word) {
  for (SyncVar** link = &head_; *link != nullptr;) {
    if (((*link)->address & ~uptr{7}) != word) {
      link = &(*link)->next;
      continue;
    }
    SyncVar* gone = *link;
    changes_now();
    *link = gone->next;
    destroy(gone);
  }
}

void SyncTable::Bucket::take(ByteRange bytes, SyncVar*& to) {
  for (SyncVar** link = &head_; *link != nullptr;) {
    SyncVar* v = *link;
    if (!bytes.contains(v->address)) {
      link = &v->next;
      continue;
    }
    changes_now();
    *link = v->next;
    v->next = to;
    to = v;
  }
}

void SyncTable::Bucket::copy(ByteRange bytes, SyncVar*& to) const {
  for (const SyncVar* v = head_; v != nullptr; v = v->next) {
    if (!bytes.contains(v->address)) continue;
    auto* twin = static_cast<SyncVar*>(pool_allocate(sizeof(SyncVar)));
    copy_bytes(twin, v, sizeof(SyncVar));
    zero_bytes(&twin->clock, sizeof(VectorClock));
    zero_bytes(&twin->readers, sizeof(VectorClock));
    zero_bytes(&twin->atomics, sizeof(AtomicHistory));
    twin->clock.assign(v->clock);
    twin->readers.assign(v->readers);
    twin->atomics.assign(v->atomics);
    twin->round = nullptr;
    twin->next = to;
    to = twin;
  }
}

void SyncTable::Bucket::put(SyncVar* v) {
  remove(v->address);
  changes_now();
  v->next = head_;
  head_ = v;
}

void SyncTable::lock_all() {
  for (Bucket& b : buckets_) b.lock.lock();
}
void SyncTable::unlock_all() {
  for (Bucket& b : buckets_) b.lock.unlock();
}

}  // namespace bigfoot::rt
