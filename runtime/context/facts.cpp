#include "runtime/context/facts.h"

#include "runtime/context/older_access.h"
#include "runtime/context/runtime.h"
#include "runtime/heap/heap.h"

namespace bigfoot::rt {
namespace {

report::ObjectFacts heap_object(const heap::Block& b) {
  report::ObjectFacts o;
  o.kind = report::ObjectKind::kHeap;
  o.bytes = b.bytes;
  o.thread = b.thread;
  o.allocated = b.allocated;
  o.freed = !b.live;
  return o;
}

class ProgramFacts final : public report::Facts {
 public:
  void stack(Origin origin, report::Stack& out) const override {
    out.count = static_cast<u32>(runtime.depot.stack(origin, out.pcs, report::kMaxFrames));
    out.truncated = out.count == report::kMaxFrames;
  }

  report::ThreadFacts thread(ThreadId id) const override {
    report::ThreadFacts f;
    f.id = id;
    if (id == kNoThread || static_cast<u32>(id) >= Runtime::kThreads) return f;
    const ThreadRecord& r = runtime.threads[static_cast<u32>(id)];
    if (!r.used) {  // it has ended, and only the number is left
      f.state = report::ThreadState::kFinished;
      return f;
    }
    f.os_id = r.os_id;
    f.state = r.finished ? report::ThreadState::kFinished : report::ThreadState::kRunning;
    f.creator = r.creator;
    f.created = r.created;
    f.is_fiber = r.is_fiber;
    for (usize i = 0; i + 1 < sizeof(f.name); ++i) f.name[i] = r.name[i];
    return f;
  }

  report::ObjectFacts object(uptr address) const override {
    if (heap::owns(reinterpret_cast<void*>(address))) {
      heap::Block b = heap::find(address);
      if (b.bytes.size != 0 || b.live) return heap_object(b);
    }
    report::ObjectFacts o;
    for (u32 i = 0; i < runtime.next_thread; ++i) {
      const ThreadRecord& r = runtime.threads[i];
      if (!r.used || r.finished) continue;
      if (r.tls.contains(address))
        o.kind = report::ObjectKind::kTls, o.bytes = r.tls;
      else if (r.stack.contains(address))
        o.kind = report::ObjectKind::kStack, o.bytes = r.stack;
      else
        continue;
      o.thread = ThreadId{i};
      return o;
    }
    return o;  // the symbolizer says whether it is a global
  }

  usize locks(LocksetId held, report::HeldLock* out) const override {
    LockTaken taken[report::kMaxShownLocks];
    usize n = runtime.locksets.list(held, taken, report::kMaxShownLocks);
    for (usize i = 0; i < n && i < report::kMaxShownLocks; ++i)
      out[i] = {taken[i].address, taken[i].taken, taken[i].read_mode};
    return n;
  }

  u32 steps(ThreadId id, SyncStep* out, u64& lost) const override {
    const StepRing* ring = runtime.steps.find(id);
    lost = 0;
    if (ring == nullptr) return 0;
    const u32 count = ring->copy(out, lost);
    return StepLog::belongs_to(*ring, id) ? count : 0;
  }

  Origin lock_created(uptr address) const override {
    SyncTable::Bucket& bucket = runtime.syncs.bucket(address);
    SpinGuard guard(bucket.lock);
    SyncVar* v = bucket.find(address);
    return v == nullptr ? kNoOrigin : v->created;
  }

  uptr previous_begin(const report::Race& race) const override {
    return race.previous.exact ? race.previous.address : range_begin(race);
  }
};

}  // namespace

const report::Facts& program_facts() {
  static constexpr ProgramFacts kFacts;
  return kFacts;
}

}  // namespace bigfoot::rt
