// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// All fields are set together; then each thread has one of them for itself.
#include "script.h"
#include "spawn.h"

struct Vec {
  double x, y, z;
};
alignas(64) Vec shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void set(Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}

__attribute__((noinline)) void bump(double* field) {
  for (int i = 0; i < 3; ++i) {
    *field += 1;
    pthread_mutex_lock(&mutex);  // another epoch
    pthread_mutex_unlock(&mutex);
  }
}

int main() {
  auto other = [] {
    script_wait(0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    bump(&shared.y);
    script_post(1);
    bump(&shared.y);
  };
  pthread_t thread = start_thread(other);
  pthread_mutex_lock(&mutex);
  set(&shared, 1);
  pthread_mutex_unlock(&mutex);
  script_post(0);
  bump(&shared.x);
  script_wait(1);
  bump(&shared.z);
  join_thread(thread);
  set(&shared, 0);
  keep_object(&shared);
}
