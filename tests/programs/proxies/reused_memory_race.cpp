// RUN: %clangxx %s %support -o %t
// RUN: %run_racy --groups=3,2 %t

// Objects that begin in several steps: a constructor that leaves a field for later, another type in
// the same storage, a field whose address has been given away.
#include <new>

#include "script.h"
#include "spawn.h"

struct Vec {
  double x, y, z;
};
struct Half {
  double begin, end, rest;
  __attribute__((noinline)) explicit Half(double d) : begin(d), end(d) {}
  __attribute__((noinline)) void finish(double d) {
    rest = d;  // RACE: later write 8
  }
};
alignas(64) unsigned char storage[64], place_of_half[64];
alignas(64) Vec escaped;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
double* volatile field = &escaped.y;

__attribute__((noinline)) void set(Vec* v, double d) {
  v->x = d;
  v->y = d;  // RACE: escaped write 8
  v->z = d;
}

int main() {
  run_threads(
      [] {
        auto* half = new (place_of_half) Half(1);
        half->finish(2);
        set(reinterpret_cast<Vec*>(storage), 1);
        pthread_mutex_lock(&mutex);  // another epoch
        pthread_mutex_unlock(&mutex);
        auto* numbers = new (storage) long[3];
        numbers[1] = 5;  // RACE: storage write 8
        keep_object(numbers);
        set(&escaped, 1);
        script_post(0);
      },
      [] {
        script_wait(0);
        keep(
            static_cast<long>(reinterpret_cast<Half*>(place_of_half)->rest));  // RACE: later read 8
        keep(reinterpret_cast<long*>(storage)[1]);  // RACE: storage read 8
        keep(static_cast<long>(*field));            // RACE: escaped read 8
      });
}
