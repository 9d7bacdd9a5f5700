// RUN: %clangxx %s %support -o %t
// RUN: %run_clean --groups=201,101 %t

// Memory whose fields shared a location is freed and comes back as something else, or as the same
// in another thread; is used as something else without being freed; or by a field's address.
#include <new>

#include "script.h"
#include "spawn.h"

struct Vec {
  double x, y, z;
};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
alignas(64) Vec escaped;
double* volatile field = &escaped.y;

__attribute__((noinline)) void set(Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}

void new_epoch() {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
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
    new_epoch();
    set(reinterpret_cast<Vec*>(words), 2);
    keep_object(words);
    new_epoch();
    words[i % 3] = i;
    keep_object(words);
    delete[] words;
  }
}

int main() {
  auto other = [] {
    churn();
    script_wait(0);
    pthread_mutex_lock(&mutex);
    *field = 2;
    pthread_mutex_unlock(&mutex);
  };
  pthread_t thread = start_thread(other);
  churn();
  pthread_mutex_lock(&mutex);
  set(&escaped, 1);
  pthread_mutex_unlock(&mutex);
  script_post(0);
  join_thread(thread);
  keep_object(&escaped);
}
