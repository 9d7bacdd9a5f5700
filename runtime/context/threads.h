// Life of threads inside the run time; what other parts of context/ need of it.
#pragma once

#include "runtime/context/thread.h"

namespace bigfoot::rt {

void attach_main_thread();
void thread_forked_child(Thread& t);
// At exit: threads that have ended and that nobody joined or detached.
void report_leaked_threads();

// REQUIRES: threads_lock held for the next two.
void leave_single();
void enter_single_if_alone(Thread& t);
// A new logical thread: its record and its place in the clocks, ordered after what `creator` knows.
Thread* make_thread(const VectorClock& creator, ThreadId creator_id, Origin created,
                    usize stack_bytes);
void free_thread(Thread* t);
void retire_slot(const Thread& t);

}  // namespace bigfoot::rt
