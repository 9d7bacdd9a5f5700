#include "runtime/context/atomics.h"

#include "runtime/context/boundaries.h"

namespace bigfoot::rt {
namespace {

void record(Thread& t, SyncVar& v, AccessKind kind, usize size, Pc pc) {
  bool writes = is_write(kind);
  for (const AtomicEntry& e : v.atomics)
    if (e.stamp == t.stamp && e.writes == writes && e.size >= size) return;
  Observer me = observer(t);
  // A later access of the same kind stands for the earlier ones it is ordered after. A read does
  // not stand for a write, nor a write for a read, nor either for a larger one: they conflict with
  // different accesses.
  v.atomics.drop_if([&](const AtomicEntry& e) {
    return e.writes == writes && e.size <= size && happened_before(e.stamp, me);
  });
  Origin from = t.origins.get(runtime.depot, place(t, pc, kind, size));
  v.atomics.record({t.stamp, from, t.slot, writes, static_cast<u8>(size)});
  note_recorded(t);
}

void acquire_part(Thread& t, const SyncVar& v, Order order) {
  if (acquires(order))
    learn(t, v);
  else if (!v.clock.empty() && v.last != t.id)
    t.acquire_pending.join(v.clock);
}

void release_part(Thread& t, SyncVar& v, const AtomicEffect& e) {
  bool adds = e.read;  // a read-modify-write
  if (releases(e.order)) {
    if (adds)
      publish_join(t, v);
    else
      publish_store(t, v);
    return;
  }
  if (!adds) v.clock.clear(), v.last = kNoThread;
  if (!t.has_release_fence) return;
  v.clock.join(t.release_fence);
  v.last = kNoThread;
}

}  // namespace

void atomic_done(Thread& t, SyncVar& v, ByteRange bytes, const AtomicEffect& effect, Pc pc,
                 const RaceSink* as_access) {
  if (v.size < bytes.size) {
    v.size = static_cast<u8>(bytes.size);
    if (bytes.size > 8) mark_sync(bytes.begin + 8);
  }
  if (effect.read) acquire_part(t, v, effect.order);
  if (effect.read && acquires(effect.order)) note_step(t, StepKind::kAcquire, bytes.begin, pc);
  AccessKind kind = effect.wrote ? AccessKind::kAtomicWrite : AccessKind::kAtomicRead;
  if (t.ignore_accesses == 0 && as_access != nullptr) {
    record(t, v, kind, bytes.size, pc);
    find_conflicts(observer(t), runtime.sets, bytes, effect.wrote, *as_access);
  }
  if (effect.wrote) release_part(t, v, effect);
  if (effect.wrote && releases(effect.order)) note_step(t, StepKind::kRelease, bytes.begin, pc);
}

void atomic_foreseen(const Thread& t, const SyncVar& v, ByteRange bytes, const AtomicEffect& effect,
                     const RaceSink& sink) {
  if (t.ignore_accesses != 0) return;
  const Observer now = observer(t);
  if (!effect.read || !acquires(effect.order) || v.clock.empty())
    return find_conflicts(now, runtime.sets, bytes, effect.wrote, sink);
  VectorClock then;
  then.assign(t.knows);
  then.join(v.clock);
  find_conflicts({then, now.slot, now.stamp, now.stamps}, runtime.sets, bytes, effect.wrote, sink);
  then.release_storage();
}

void verify_atomic(const AtomicEffect& e) {
  Thread& t = current_thread();
  if (e.wrote && releases(e.order)) verify_releasing(t);
  if (e.read && acquires(e.order)) verify_acquired(t);
}

void atomic_fence(Thread& t, Order order) {
  if (releases(order)) before_release(t);
  if (acquires(order)) before_acquire(t);
  if (runtime.single || t.ignore_sync != 0) return;
  RuntimeScope scope;
  if (acquires(order) && !t.acquire_pending.empty()) {
    t.knows.join(t.acquire_pending);
    t.acquire_pending.clear();
  }
  if (!releases(order)) return;
  t.release_fence.assign(t.knows);
  t.has_release_fence = true;
  tick(t);
}

}  // namespace bigfoot::rt
