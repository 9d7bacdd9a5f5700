// RUN: %clangxx -fPIC -shared %s -DAPART -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy --groups=1,1 %t %t.so

// An object whose fields share a location is made anew in its place by a constructor, unknown until
// then, that leaves a field as it was: two fields have what the constructor did in their history,
// the third what was before.
#include "Inputs/vec.h"

#ifdef APART
#include <new>

__attribute__((noinline)) Half::Half(double d)
    : begin(d),  // RACE: begin write 8 of Half::begin
      end(d) {   // RACE: end write 8 of Half::end
}
extern "C" void construct(void* place, double d) {
  new (place) Half(d);
}
#else
#include "Inputs/library.h"
#include "script.h"

alignas(64) unsigned char place[sizeof(Half)];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void set(Half* h, double d) {
  h->begin = d;
  h->end = d;
  h->rest = d;  // RACE: rest write 8
}
__attribute__((noinline)) double sum(const Half* h) {
  double all = h->begin;  // RACE: begin read 8 of Half::begin
  all += h->end;          // RACE: end read 8 of Half::end
  all += h->rest;         // RACE: rest read 8
  return all;
}

int main(int, char** arguments) {
  run_threads(
      [=] {
        set(reinterpret_cast<Half*>(place), 1);
        pthread_mutex_lock(&mutex);  // another epoch
        pthread_mutex_unlock(&mutex);
        const Library apart(arguments[1]);
        apart.get<void(void*, double)>("construct")(place, 2);
        script_post(0);
      },
      [] {
        script_wait(0);
        keep(static_cast<long>(sum(reinterpret_cast<Half*>(place))));
      });
}
#endif
