// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// The same sweeps again and again, each element also paired with all others: most of them an epoch
// has done already. What it has done ends with it: the last of them come after the lock is given
// back, which is all that the other thread knows.
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
      const double near = bodies[i].place - bodies[j].place;  // RACE: read
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
    script_post(2);
  };
  auto writer = [=] {
    script_wait(0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    script_post(1);
    script_wait(2);
    bodies[7].place = 1;  // RACE: write
  };
  run_threads(reader, writer);
  keep_object(bodies);
  delete[] bodies;
}
