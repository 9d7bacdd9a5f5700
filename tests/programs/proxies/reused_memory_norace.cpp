// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Memory whose fields shared a location is freed and comes back as something else, or as the same
// in another thread; a constructor leaves a field for the thread that gets the object.
#include <new>

#include "script.h"
#include "spawn.h"

struct Vec {
  double x, y, z;
};
struct Half {
  double begin, end, rest;
  __attribute__((noinline)) explicit Half(double d) : begin(d), end(d) {}
};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Half* half;

__attribute__((noinline)) void set(Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}

__attribute__((noinline)) void churn() {
  for (int i = 0; i < 50; ++i) {
    auto* v = new Vec;
    set(v, i);
    keep_object(v);
    delete v;
    auto* words = new long[3];
    words[i % 3] = i;
    keep_object(words);
    new (words) Vec{1, 2, 3};
    set(reinterpret_cast<Vec*>(words), 2);
    keep_object(words);
    delete[] words;
  }
}

int main() {
  auto other = [] {
    churn();
    script_wait(0);
    pthread_mutex_lock(&mutex);
    half->rest = 1;
    half->end = 2;
    pthread_mutex_unlock(&mutex);
  };
  pthread_t thread = start_thread(other);
  churn();
  pthread_mutex_lock(&mutex);
  half = new Half(1);
  pthread_mutex_unlock(&mutex);
  script_post(0);
  join_thread(thread);
  keep(static_cast<long>(half->begin + half->end + half->rest));
  delete half;
}
