// RUN: %clangxx -fPIC -shared %s -DAPART -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean --groups=1,2 %t %t.so

// All fields are set together; then each thread has one of them for itself.
#include "Inputs/vec.h"
#include "script.h"
#include "spawn.h"

#ifdef APART
extern "C" void bump(Vec* v, int field, pthread_mutex_t* mutex) {
  double* const fields[] = {&v->x, &v->y, &v->z};
  for (int i = 0; i < 3; ++i) {
    *fields[field] += 1;
    pthread_mutex_lock(mutex);  // another epoch
    pthread_mutex_unlock(mutex);
  }
}
#else
#include "Inputs/library.h"

alignas(64) Vec shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void set(Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}

int main(int, char** arguments) {
  void (*bump)(Vec*, int, pthread_mutex_t*) = nullptr;
  auto other = [&] {
    script_wait(0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    bump(&shared, 1, &mutex);
    script_post(1);
    bump(&shared, 1, &mutex);
  };
  pthread_t thread = start_thread(other);
  pthread_mutex_lock(&mutex);
  set(&shared, 1);
  const Library apart(arguments[1]);
  bump = apart.get<void(Vec*, int, pthread_mutex_t*)>("bump");
  pthread_mutex_unlock(&mutex);
  // The first cut. If the field in the middle came first, there would be no second one.
  bump(&shared, 0, &mutex);
  script_post(0);
  bump(&shared, 0, &mutex);
  script_wait(1);
  bump(&shared, 2, &mutex);
  join_thread(thread);
  set(&shared, 0);
  keep_object(&shared);
}
#endif
