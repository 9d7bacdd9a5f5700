// What happens in the program, as the run time's core understands it.
//
// Interceptors (intercept/), the C ABI (entry/) and the annotations translate everything they see
// into these calls; behind them stand clocks, shadow and detector. All functions are thread-safe,
// may be called from any thread the run time knows, never call back into the program except for
// reports, and take `pc`, the return address into the program's code, to name the place in reports.
//
// Order of a real operation and its event: what publishes (release) is told BEFORE the real
// operation, what receives (acquire) AFTER it.
#pragma once

#include "runtime/base/types.h"
#include "runtime/detect/access.h"

namespace bigfoot::rt {

struct Thread;

// The calling thread, attached on first use. Never null.
Thread& current_thread();
// True while the run time itself runs on this thread (allocation by the symbolizer, a report hook):
// interceptors then pass straight through to the real function.
bool inside_runtime();

// --- memory accesses
// -------------------------------------------------------------------------------
void access_range(Thread& t, ByteRange bytes, AccessKind kind, Pc pc);
// Accesses of `size` bytes each, one check for all: every byte from `begin` on over `extent` bytes,
// or only the first `width` of every `step`.
struct ElementRange {
  uptr begin;
  usize extent;
  usize step;   // == width: contiguous
  usize width;  // a multiple of size
  u32 size;
  AccessKind kind;
};
void access_elements(Thread& t, const ElementRange& r, Pc pc);

// --- names for what is kept beside the core (heap blocks)
// --------------------------------------------
Origin origin_of(Thread& t, Pc pc);  // the calling context that ends at `pc`
ThreadId id_of(const Thread& t);

// --- life of memory
// -------------------------------------------------------------------------------- A block has come
// into being: whatever happened at these addresses before is another object's story.
void memory_allocated(Thread& t, ByteRange block, Pc pc);
// A block ends: counts as a write to all of it; synchronisation objects inside are forgotten.
void memory_freed(Thread& t, ByteRange block, Pc pc);
// What happened in the range is another story from here on: history is cleared, nothing is checked.
void memory_cleared(Thread& t, ByteRange range);
// Address space appears (mmap; told after it) or goes (munmap, dlclose): the same, and whether the
// range holds arrays is said anew. REQUIRES: whole pages, if it appears.
enum class MappedFor : u8 { kArrays, kOther };
void memory_mapped(Thread& t, ByteRange range, MappedFor use, Pc pc);
void memory_unmapped(Thread& t, ByteRange range);
// A stack is put there: the same; it is no array, whatever it was.
void stack_begins(Thread& t, ByteRange stack);
// Pages or objects change their address (mremap, a moving collector): `to` gets the history of
// `from` and the synchronisation objects in it, `from` is cleared. The ranges may overlap. Nobody
// accesses either of them meanwhile.
void memory_moved(Thread& t, uptr from, uptr to, usize bytes);
// The same, but `from` keeps what it has.
void memory_copied(Thread& t, uptr from, uptr to, usize bytes);

// --- plain happens-before edges on any object, named by an address
// -----------------------------------
void release(Thread& t, uptr object, Pc pc);        // what I did so far ...
void release_store(Thread& t, uptr object, Pc pc);  // the same, forgetting earlier releases
void acquire(Thread& t, uptr object, Pc pc);        // ... is before what follows here
void forget_object(Thread& t, uptr object);

// Before a real operation that may wait for another thread: where schedules differ.
void synchronising(Thread& t);
// After a try for the lock, successful or not: whoever has it may keep it, so that others find it
// taken and go another way.
void tried(Thread& t, uptr lock);

// --- mutexes, rwlocks, spin locks
// ------------------------------------------------------------------
enum class LockMode : u8 { kWrite, kRead };
void mutex_created(Thread& t, uptr mutex, bool recursive,
                   Pc pc);  // optional; unknown ones appear on use
void mutex_destroyed(Thread& t, uptr mutex, Pc pc);
void mutex_locked(Thread& t, uptr mutex, LockMode mode, Pc pc);  // after the real lock
void mutex_unlocking(Thread& t, uptr mutex, Pc pc);              // before the real unlock, any mode
// Lock ownership lost without unlock (robust mutex whose owner died): ordering kept, holder
// dropped.
void mutex_repaired(Thread& t, uptr mutex, Pc pc);
// How often the calling thread holds it: what pthread_cond_wait gives up and takes back. 0 if that
// is ignored.
u32 mutex_release_all(Thread& t, uptr mutex, Pc pc);
void mutex_reacquire(Thread& t, uptr mutex, u32 count, Pc pc);

// --- barriers: every arrival before every departure of the same round
// --------------------------------
void barrier_arrive(Thread& t, uptr barrier, Pc pc);
void barrier_depart(Thread& t, uptr barrier, Pc pc);

// --- file descriptors: what was written before is before what is read after
// --------------------------
void fd_release(Thread& t, int fd, Pc pc);
void fd_acquire(Thread& t, int fd, Pc pc);
void fd_closed(Thread& t, int fd, Pc pc);
void fd_duplicated(Thread& t, int from, int to, Pc pc);  // both names order with each other
void fd_paired(Thread& t, int a, int b, Pc pc);          // pipe(), socketpair()

// --- threads
// --------------------------------------------------------------------------------------- The
// parent calls thread_creating before pthread_create and passes the ticket on; the child calls
// thread_started first thing; thread_creation_failed takes the ticket back.
struct Ticket;
Ticket* thread_creating(Thread& parent, Pc pc, bool detached);
void thread_creation_failed(Ticket* ticket);
void thread_started(Ticket* ticket, ByteRange stack, ByteRange tls);
ThreadId thread_of(const Ticket* ticket);
void thread_finishing(Thread& t);  // last event of a thread, after its TLS destructors
void thread_joined(Thread& t, ThreadId id, Pc pc);  // after the real join
void thread_detached(Thread& t, ThreadId id, Pc pc);
void thread_named(Thread& t, ThreadId id, const char* name);

// --- process
// ---------------------------------------------------------------------------------------
void process_forking(Thread& t);  // before fork: all locks of the run time are taken
void process_forked_parent(Thread& t);
void process_forked_child(Thread& t);  // only the calling thread goes on
// The thread leaves its frames behind by longjmp, perhaps that of a race's handler.
void race_listener_left();
// exit has been called, or main has returned: then it has left nothing open.
void main_ending();
// Ends all output: statistics, unused suppressions. Returns the exit code the process should end
// with, given the one it wanted (66 if races were reported, unless options say otherwise).
int process_ending(int wanted);

// --- logical threads (fibers)
// ------------------------------------------------------------------------
struct Fiber;
Fiber* fiber_current();
// `stack_bytes` is the size of its stack, 0 if unknown. Null: there is no room for so large a
// stack, or for one more thread in the clocks.
Fiber* fiber_create(Thread& t, usize stack_bytes, Pc pc);
void fiber_destroy(Thread& t, Fiber* fiber, Pc pc);
struct FiberSwitch {
  bool ordered = true;      // what `t` has done is before what the other one does
  bool same_stack = false;  // the call stack stays; it belongs to the OS thread, not to the fiber
};
void fiber_switch(Thread& t, Fiber* to, FiberSwitch how, Pc pc);
void fiber_named(Fiber* fiber, const char* name);

// The same by number, for callers whose word is not taken for it; a switch that orders does so
// while synchronisation is ignored, too.
enum class FiberUse : u8 {
  kDone,
  kUnknown,
  kIsOsThread,
  kRuns,
  kRunsElsewhere,
  kIsAnothersOwn,
  kInRegion,
};
ThreadId fiber_id(const Fiber* fiber);
FiberUse fiber_destroy_checked(Thread& t, ThreadId fiber, Pc pc);
FiberUse fiber_switch_checked(Thread& t, ThreadId to, FiberSwitch how, Pc pc);
FiberUse fiber_named_checked(ThreadId fiber, const char* name);

// --- ignoring
// ---------------------------------------------------------------------------------------
void ignore_accesses_begin(Thread& t);
void ignore_accesses_end(Thread& t);
void ignore_sync_begin(Thread& t);
void ignore_sync_end(Thread& t);

}  // namespace bigfoot::rt
