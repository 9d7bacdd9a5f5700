// Life of threads inside the run time; what other parts of context/ need of it.
#pragma once

#include "runtime/context/thread.h"

namespace bigfoot::rt {

void attach_main_thread();
// The logical thread that the calling OS thread began as, which it has to be at its end. Null if it
// has ended.
Thread* own_thread();
// If the OS thread ends as another one: who left its own one by lard.h is told, and it is that one
// again. Returns the one that ends.
Thread& back_to_own_thread(Thread& t);
void thread_forked_child(Thread& t);
// Between the marking of all stamps that are mentioned and the sweep of the stamps: records of
// threads that no report can name any more. REQUIRES: no other thread is inside the run time.
void forget_ended_threads();
// At exit: threads that have ended and that nobody joined or detached.
void report_leaked_threads();

// REQUIRES: threads_lock held for the next two.
void leave_single();
void enter_single_if_alone(Thread& t);
// A shadow call stack; no bottom: there is no room for it. `stack_bytes`: of the real one, 0 if
// unknown.
struct FrameStack {
  abi::Frame* bottom;
  usize bytes;
};
FrameStack map_frames(usize stack_bytes);
void unmap_frames(const FrameStack& frames);
// A new logical thread: its record and its place in the clocks, ordered after what `creator` knows.
// Null if the clocks have no place left.
Thread* make_thread(const VectorClock& creator, ThreadId creator_id, Origin created,
                    const FrameStack& frames);
void free_thread(Thread* t);
// The first time of the slot that its owner has told nobody of. Takes threads_lock.
Clock unpublished_time(Slot slot);
void retire_slot(const Thread& t);

}  // namespace bigfoot::rt
