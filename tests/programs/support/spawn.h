// Threads for the tests that are not about how threads are made. Only <pthread.h> underneath: a
// test that includes this compiles three times as fast as one with <thread>, and there are hundreds
// of runs.
#pragma once

#include <pthread.h>

#include <cstdlib>

// Runs `body()` in a new thread. REQUIRES: `body` lives until the thread is joined.
template <class Body>
pthread_t start_thread(Body& body) {
  pthread_t thread;
  auto* enter = +[](void* argument) -> void* {
    (*static_cast<Body*>(argument))();
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, enter, &body) != 0) abort();
  return thread;
}

inline void join_thread(pthread_t thread) {
  if (pthread_join(thread, nullptr) != 0) abort();
}

// Runs every body in a thread of its own, started in the order given, then joins them all.
template <class... Body>
void run_threads(Body... body) {
  pthread_t threads[] = {start_thread(body)...};
  for (pthread_t thread : threads) join_thread(thread);
}

// A failed expectation about the program itself, not about the detector: exit code 1.
inline void require(bool condition) {
  if (!condition) exit(1);
}
