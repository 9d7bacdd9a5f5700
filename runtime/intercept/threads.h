// Which thread a pthread_t names.
#pragma once

#include <pthread.h>

#include "runtime/base/types.h"

namespace bigfoot::rt::intercept {

// Makes the key whose destructor is a thread's last event and registers the main thread.
void watch_threads();

// kNoThread if the handle is not known (a thread nobody created through us).
ThreadId thread_of_handle(pthread_t handle);

void lock_thread_handles();  // around fork
void unlock_thread_handles();

}  // namespace bigfoot::rt::intercept
