// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Neighbouring words with different histories, read together by one call: each keeps its own write,
// whatever became of the one before it.
#include <pthread.h>
#include <string.h>

#include "script.h"
#include "spawn.h"

alignas(64) long words[8];
long copy[8];
pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void fill(int i) {
  words[i] = 1;
}
__attribute__((noinline)) static void fill_one(int i) {
  words[i] = 2;  // RACE: write 8
}

int main() {
  auto fills = [] {
    for (int i = 0; i < 8; ++i) i == 5 ? fill_one(i) : fill(i);
    pthread_mutex_lock(&own);  // another epoch
    pthread_mutex_unlock(&own);
    keep_object(words);
    memcpy(copy, words, sizeof words);
    keep_object(copy);
    script_post(0);
  };
  auto reads = [] {
    script_wait(0);
    keep(static_cast<int>(words[5]));  // RACE: read 8
  };
  run_threads(fills, reads);
}
