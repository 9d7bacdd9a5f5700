#include "runtime/context/reclaim.h"

#include "runtime/context/memory_limit.h"
#include "runtime/context/runtime.h"
#include "runtime/context/threads.h"
#include "runtime/shadow/claims.h"
#include "runtime/shadow/masked.h"

namespace bigfoot::rt {
namespace {

struct OsThread {
  abi::ThreadHot* hot;
  OsThread* next;
  OsThread* previous;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local OsThread this_os_thread = {};
[[gnu::tls_model("initial-exec")]] constinit thread_local bool waiting_inside = false;

// After how many new sets of reads to collect. A set is a cache line that has to come from
// somewhere: from fresh memory, or from the sweep, and then it is often still in a cache. A walk
// costs a part of a microsecond for each page of shadow, as much as some sixteen sets.
constexpr u64 kFewestSets = u64{1} << 15;  // 2 MiB
constexpr u64 kMostSets = u64{1} << 19;    // 32 MiB
constexpr u64 kSetsPerPage = 16;
// A thread's stock counts as sets, and every thread has to get a new one after a collection.
constexpr u64 interval_for(u64 pages, u64 threads) {
  const u64 sets = pages * kSetsPerPage;
  const u64 own = sets < kFewestSets ? kFewestSets : sets > kMostSets ? kMostSets : sets;
  return own + threads * 2 * ReadSets::kStock;
}

// After how many new chunks of stamps. Each keeps a page of locks held (sync/lockset.h), and to
// fill one takes 1024 unlocks, some 100 microseconds; so this is the memory that sets may take,
// too.
constexpr u32 kFewestChunks = 2048;  // 8 MiB
constexpr u64 kPagesPerChunk = 4;
constexpr u32 chunks_for(u64 pages) {
  const u64 chunks = pages / kPagesPerChunk;
  return chunks < kFewestChunks ? kFewestChunks : static_cast<u32>(chunks);
}
// After how many slots that nobody could take again, while new ones had to be made. To create a
// thread and to end it takes some 30 microseconds, as long as 100 pages; and a clock has a word for
// each slot.
constexpr u32 kFewestSlots = 128;
constexpr u64 kPagesPerSlot = 64;
constexpr u32 slots_for(u64 pages, u32 slots) {
  const u64 most = pages / kPagesPerSlot > slots / 4 ? pages / kPagesPerSlot : slots / 4;
  return most < kFewestSlots ? kFewestSlots : static_cast<u32>(most);
}
// After how many threads, of which a record of 150 bytes is kept.
constexpr u32 kFewestThreads = 4096;
constexpr u64 kPagesPerThread = 16;
constexpr u32 threads_for(u64 pages) {
  const u64 threads = pages / kPagesPerThread;
  return threads < kFewestThreads ? kFewestThreads : static_cast<u32>(threads);
}

struct State {
  SpinLock lock;  // guards the list, and makes reclaimers one at a time
  OsThread* first = nullptr;
  const OsThread* stopper = nullptr;  // who has stopped the others
  u64 fixed_interval = 0;             // of tests; 0: as many sets as the walk is long
  u64 sets_limit = kFewestSets;
  // How many chunks have to be left that nothing has to be collected. Set without the lock, too.
  u32 chunks_wanted = 0;
  u32 slots_interval = kFewestSlots;
  u32 threads_limit = kFewestThreads;
  ReclaimCounts counts;
  bool impossible = false;  // threads can not be stopped here; also read without the lock
};
constinit State state;
constexpr u32 kCollectNow = ~0u;

// A tick between the question and the answer takes one chunk of a thread at most; there are never
// more threads at work than this.
constexpr u32 kChunksInReserve = 4096;

u32 reserve() {
  u32 slots = runtime.slots.count();
  return slots * 2 + 16 < kChunksInReserve ? slots * 2 + 16 : kChunksInReserve;
}

bool needed() {
  if (BF_UNLIKELY(load_relaxed(&state.impossible))) return false;
  if (memory_limit_reached()) return true;
  return runtime.sets.live() > state.sets_limit ||
         runtime.stamps.chunks_left() < load_relaxed(&state.chunks_wanted);
}

// The next collection of chunks: after `interval` more of them.
void want_chunks(u32 interval) {
  const u32 left = runtime.stamps.chunks_left();
  const u32 then = left > interval ? left - interval : 0;
  store_relaxed(&state.chunks_wanted, then > reserve() ? then : reserve());
}

// REQUIRES: state.lock. False if threads cannot be stopped here.
bool stop_others() {
  store_relaxed(&__bf_paused, u32{1});
  if (!sys::barrier_all_threads()) {
    store_release(&__bf_paused, u32{0});
    return false;
  }
  for (OsThread* t = state.first; t != nullptr; t = t->next) {
    if (t == &this_os_thread) continue;
    while (load_acquire(&t->hot->inside) != 0) sys::yield_cpu();
  }
  store_relaxed(&state.stopper, static_cast<const OsThread*>(&this_os_thread));
  return true;
}

void let_others_go() {
  store_relaxed(&state.stopper, static_cast<const OsThread*>(nullptr));
  store_release(&__bf_paused, u32{0});
  sys::futex_wake(&__bf_paused, ~0u >> 1);
}

void mark_read(u32 read) {
  if (read == 0) return;
  if (!is_special(read)) return runtime.stamps.mark(Stamp{read});
  ReadSetId id = read_set_of(read);
  runtime.sets.mark(id);
  for (const ReadEntry e : runtime.sets.get(id)) runtime.stamps.mark(e.stamp);
}

void mark_cell(const Cell& c) {
  if (is_masked(c.write)) {
    const Masked m = Masked::of(c);
    if (m.wrote != 0) runtime.stamps.mark(Stamp{m.write});
    if (m.did_read != 0) runtime.stamps.mark(Stamp{m.read});
    return;
  }
  if (!is_special(c.write) && c.write != 0) runtime.stamps.mark(Stamp{c.write});
  mark_read(c.read);
}

// What threads remember of sets is forgotten: the names may mean something else afterwards.
void forget_cached_sets() {
  for (OsThread* t = state.first; t != nullptr; t = t->next) forget_known_sets(*t->hot);
  ++runtime.sets_generation;
}

// Who has ended accesses nothing by its claims any more. Where nothing is recorded they say no more
// than that the block is nobody's.
void mark_claim(void*, uptr block, u32* claim) {
  const u32 seen = load_relaxed(claim);
  if (!shadow::is_epoch(seen)) return;
  if (runtime.slots.holder(runtime.stamps.decode(Stamp{seen}).slot).retired &&
      shadow::is_blank_block(block))
    return store_relaxed(claim, shadow::kUnclaimed);
  runtime.stamps.mark(Stamp{seen});
}

// Returns how many pages it has walked.
u64 mark_all() {
  u64 pages = 0;
  shadow::for_each_page([&pages](unsigned, Cell* page) {
    ++pages;
    for (usize i = 0; i < shadow::kCellsPerPage; ++i) mark_cell(page[i]);
  });
  runtime.syncs.for_each([](SyncVar& v) {
    for (const AtomicEntry& e : v.atomics) runtime.stamps.mark(e.stamp);
  });
  runtime.arrays.for_each(
      [](ArrayRecord& r) { r.shadow.for_each_cell([](const Cell& c) { mark_cell(c); }); });
  shadow::for_each_claim(mark_claim, nullptr);
  return pages;
}

void mark_and_sweep() {
  state.counts.sets_before = runtime.sets.live();
  const u64 pages = mark_all();
  forget_cached_sets();
  runtime.sets.sweep();
  runtime.epoch_locks.sweep(runtime.stamps, chunks_for(pages));
  runtime.slots.forget_unmentioned(runtime.stamps);
  forget_ended_threads();
  runtime.stamps.sweep();
  state.counts.sets_after = runtime.sets.live();
  state.counts.chunks_left = runtime.stamps.chunks_left();
  ++state.counts.runs;
  const u64 interval =
      state.fixed_interval != 0 ? state.fixed_interval : interval_for(pages, runtime.slots.count());
  state.sets_limit = state.counts.sets_after + interval;
  state.slots_interval = slots_for(pages, runtime.slots.count());
  state.threads_limit = load_relaxed(&runtime.next_thread) + threads_for(pages);
  want_chunks(chunks_for(pages));
}

void reclaim() {
  // Somebody is at it already, or changes the list; it is waiting for us to leave the run time.
  if (!state.lock.try_lock()) return;
  if (needed()) {
    if (stop_others()) {
      if (memory_limit_reached()) {
        give_up_history();
        fetch_add(&runtime.memory_generation, 1u);
        for (OsThread* t = state.first; t != nullptr; t = t->next)
          SettledBytes::begin_epoch(*t->hot);
      }
      mark_and_sweep();
      let_others_go();
    } else {
      store_relaxed(&state.impossible, true);
    }
  }
  state.lock.unlock();
}

// For the list: a reclaimer that holds the lock waits until we are outside, so be outside
// meanwhile. But not for handlers of signals: we may be in the middle of an access.
void lock_list() {
  while (!state.lock.try_lock()) {
    u32 depth = __bf_thread.inside;
    waiting_inside = true;
    store_release(&__bf_thread.inside, u32{0});
    sys::yield_cpu();
    store_release(&__bf_thread.inside, depth);
    full_fence();
    waiting_inside = false;
  }
}

}  // namespace

void initialise_reclaim() {
  want_chunks(kFewestChunks);
}

void reclaim_for_threads(const SlotLease& lease) {
  const bool worth_it = lease.fresh && runtime.slots.unexamined() >= state.slots_interval;
  if (worth_it || load_relaxed(&runtime.next_thread) > state.threads_limit)
    store_relaxed(&state.chunks_wanted, kCollectNow);
  else if (load_relaxed(&state.chunks_wanted) < reserve())
    store_relaxed(&state.chunks_wanted, reserve());
}

bool reclaim_is_due() {
  return needed();
}

// Only from the outermost level: deeper down the thread may hold something others wait for.
void reclaim_if_needed() {
  if (BF_UNLIKELY(needed()) && __bf_thread.inside == 1) reclaim();
}

// Counted as outside while waiting. `inside` goes up again only after the pause, and then once more
// looks whether another one has begun.
void wait_while_paused() {
  if (__bf_thread.inside > 1) return;  // already in: whoever pauses waits for us
  while (load_acquire(&__bf_paused) != 0) {
    store_release(&__bf_thread.inside, u32{0});
    sys::futex_wait(&__bf_paused, 1);
    store_release(&__bf_thread.inside, u32{1});
    full_fence();
  }
}

bool is_waiting_inside() {
  return waiting_inside;
}

void come_back_inside(u32 depth) {
  for (;;) {
    store_release(&__bf_thread.inside, depth);
    full_fence();
    if (depth == 0 || load_acquire(&__bf_paused) == 0 || others_are_stopped()) return;
    store_release(&__bf_thread.inside, u32{0});
    sys::futex_wait(&__bf_paused, 1);
  }
}

OthersStopped::OthersStopped() {
  lock_list();
  stopped_ = stop_others();
}
OthersStopped::~OthersStopped() {
  if (stopped_) let_others_go();
  state.lock.unlock();
}
void OthersStopped::for_each(void (*visit)(void*, Thread&), void* context) const {
  for (OsThread* t = state.first; t != nullptr; t = t->next)
    if (t != &this_os_thread && t->hot->thread != nullptr)
      visit(context, *static_cast<Thread*>(t->hot->thread));
}

bool others_are_stopped() {
  return load_relaxed(&state.stopper) == &this_os_thread;
}

void visit_stopped_threads(void (*visit)(void*, Thread&), void* context) {
  const OthersStopped others;
  if (others) others.for_each(visit, context);
}

void set_reclaim_interval(u64 sets) {
  state.fixed_interval = state.sets_limit = sets;
}

ReclaimCounts reclaim_counts() {
  lock_list();
  ReclaimCounts c = state.counts;
  state.lock.unlock();
  return c;
}

void for_each_os_thread(void (*visit)(void*, abi::ThreadHot&), void* context) {
  const bool locked = others_are_stopped();  // by whom: this thread
  if (!locked) lock_list();
  for (OsThread* t = state.first; t != nullptr; t = t->next) visit(context, *t->hot);
  if (!locked) state.lock.unlock();
}

void list_os_thread() {
  lock_list();
  this_os_thread = {&__bf_thread, state.first, nullptr};
  if (state.first != nullptr) state.first->previous = &this_os_thread;
  state.first = &this_os_thread;
  state.lock.unlock();
}

void unlist_os_thread() {
  lock_list();
  OsThread& t = this_os_thread;
  if (t.previous != nullptr)
    t.previous->next = t.next;
  else if (state.first == &t)
    state.first = t.next;
  if (t.next != nullptr) t.next->previous = t.previous;
  t = {};
  state.lock.unlock();
}

void reclaim_before_fork() {
  lock_list();
}
void reclaim_after_fork_parent() {
  state.lock.unlock();
}

void unlist_other_os_threads() {
  state.lock.reset_after_fork();
  // Whoever was about to stop the others is not there any more.
  state.stopper = nullptr;
  store_release(&__bf_paused, u32{0});
  shadow::settle_claims_after_fork();
  this_os_thread = {&__bf_thread, nullptr, nullptr};
  state.first = &this_os_thread;
}

}  // namespace bigfoot::rt
