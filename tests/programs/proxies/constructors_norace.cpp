// RUN: %clangxx -fPIC -shared %s -DAPART -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean --groups=1,1 %t %t.so

// An object whose fields share a location is made anew in its place by a constructor, unknown until
// then, that leaves a field to another thread.
#include "Inputs/vec.h"

#ifdef APART
#include <new>

__attribute__((noinline)) Half::Half(double d) : begin(d), end(d) {}
extern "C" void construct(void* place, double d) {
  new (place) Half(d);
}
extern "C" void finish(Half* half, double d) {
  half->rest = d;
}
#else
#include "Inputs/library.h"
#include "script.h"

alignas(64) unsigned char place[sizeof(Half)];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void set(Half* h, double d) {
  h->begin = d;
  h->end = d;
  h->rest = d;
}
__attribute__((noinline)) double sum(const Half* h) {
  return h->begin + h->end + h->rest;
}

int main(int, char** arguments) {
  auto* half = reinterpret_cast<Half*>(place);
  void (*finish)(Half*, double) = nullptr;
  auto other = [&] {
    script_wait(0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    finish(half, 3);
  };
  pthread_t thread = start_thread(other);
  pthread_mutex_lock(&mutex);
  set(half, 1);
  const Library apart(arguments[1]);
  finish = apart.get<void(Half*, double)>("finish");
  pthread_mutex_unlock(&mutex);
  script_post(0);
  apart.get<void(void*, double)>("construct")(place, 2);
  join_thread(thread);
  keep(static_cast<long>(sum(half)));
}
#endif
