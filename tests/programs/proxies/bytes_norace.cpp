// RUN: %clangxx %s %support -o %t
// RUN: %run_clean --groups=4,4 %t

// Objects whose fields share a location, then each thread has some of their bytes: by memcpy, as
// characters, as another member of a union, as a type they do not have.
#include <cstring>

#include "script.h"
#include "spawn.h"

struct Vec {
  double x, y, z;
};
union Both {
  Vec fields;
  int words[6];
};
alignas(64) Vec copied, poked, seen;
alignas(64) Both both;
alignas(64) unsigned char buffers[2][16];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void set(Vec* v) {
  v->x = 1;
  v->y = 2;
  v->z = 3;
}

__attribute__((noinline)) void use(int half) {
  memcpy(reinterpret_cast<char*>(&copied) + 12 * half, buffers[half], 12);
  for (int i = 12 * half; i < 12 * half + 12; ++i) reinterpret_cast<char*>(&poked)[i] = 7;
  both.words[1 + half] = half;
  reinterpret_cast<long __attribute__((may_alias))*>(&seen)[1 + half] = half;
}

int main() {
  auto other = [] {
    script_wait(0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    use(1);
  };
  pthread_t thread = start_thread(other);
  pthread_mutex_lock(&mutex);
  set(&copied);
  set(&poked);
  set(&both.fields);
  set(&seen);
  pthread_mutex_unlock(&mutex);
  script_post(0);
  use(0);
  join_thread(thread);
  keep_object(&copied);
  keep_object(&poked);
  keep_object(&both);
  keep_object(&seen);
}
