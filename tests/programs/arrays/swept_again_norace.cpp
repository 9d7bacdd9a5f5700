// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// As swept_again_race.cpp, but the other thread learns of all sweeps before its write.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 300, kEpochs = 3;
struct Body {
  double place, speed, mass;
};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) double pairs(Body* bodies, double* sums) {
  double all = 0;
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      const double near = bodies[i].place - bodies[j].place;
      all += near;
      sums[j & 7] = near;  // may be a body for all that the compiler knows
    }
  return all;
}

int main() {
  Body* bodies = new Body[kSize]();
  auto reader = [=] {
    double sums[8] = {}, all = 0;
#pragma clang loop unroll(disable)
    for (int i = 0; i < kEpochs; ++i) {
      pthread_mutex_lock(&lock);
      pthread_mutex_unlock(&lock);
      all += pairs(bodies, sums);
      if (i == kEpochs - 2) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        script_post(0);
        script_wait(1);
      }
    }
    keep(static_cast<long>(all));
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    script_post(2);
  };
  auto writer = [=] {
    script_wait(0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    script_post(1);
    script_wait(2);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    bodies[7].place = 1;
  };
  run_threads(reader, writer);
  keep_object(bodies);
  delete[] bodies;
}
