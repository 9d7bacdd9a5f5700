// RUN: %clangxx -fPIC -shared %s -DAPART -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean --groups=10,3 %t %t.so

// Neighbouring objects of one type, each used by another thread: base, member, elements of an
// array. Then one field of some of them, by who was handed the lock.
#include "Inputs/vec.h"

#ifdef APART
extern "C" void touch(Ball* b, Vec* row) {
  b->z += 1;
  b->speed.x += 1;
  row[2].z += 1;
}
#else
#include "Inputs/library.h"
#include "script.h"

alignas(64) Ball ball;
alignas(64) Vec row[8];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void set(Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}

__attribute__((noinline)) void set_even(Vec* v, int n, int first) {
  for (int i = first; i < n; i += 2) set(&v[i], i);
}

int main(int, char** arguments) {
  run_threads(
      [] {
        pthread_mutex_lock(&mutex);
        set(&ball, 1);
        set_even(row, 8, 0);
        script_post(0);
        set(&ball, 2);
        pthread_mutex_unlock(&mutex);
        script_post(1);
      },
      [=] {
        script_wait(0);
        ball.radius = 1;
        set(&ball.speed, 1);
        set_even(row, 8, 1);
        script_wait(1);
        pthread_mutex_lock(&mutex);
        const Library apart(arguments[1]);
        apart.get<void(Ball*, Vec*)>("touch")(&ball, row);
        pthread_mutex_unlock(&mutex);
      });
  keep_object(row);
  keep_object(&ball);
}
#endif
