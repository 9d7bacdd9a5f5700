// REQUIRES: bigfoot
// RUN: %clangxx --detector=slimstate %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// Under Table I the first elements of an array may be in the planes and the rest of it not; an access
// lies across.
#include <pthread.h>

#include "script.h"
#include "spawn.h"

struct __attribute__((packed)) Unaligned {
  long value;
};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;

int main() {
  long* row = new long[512]();
  run_threads(
      [=] {
        pthread_mutex_lock(&mutex);
        for (int i = 1; i < 5; ++i) row[i] = 1;
        pthread_mutex_unlock(&mutex);
        script_post(0);
      },
      [=] {
        script_wait(0);
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        auto* across = reinterpret_cast<Unaligned*>(reinterpret_cast<char*>(row) + 36);
        across->value = 2;  // RACE: element write 8
        pthread_mutex_lock(&own);  // commits it
        pthread_mutex_unlock(&own);
        script_post(1);
      },
      [=] {
        script_wait(1);
        row[5] = 3;  // RACE: element write 8
      });
  delete[] row;
}
