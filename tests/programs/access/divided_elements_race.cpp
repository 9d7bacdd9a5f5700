// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A page that was filled byte by byte is summed up in elements of four: each of them consists of
// four parts of history. The sum races with a later write to the third byte of one.
#include <pthread.h>

#include "script.h"
#include "spawn.h"

constexpr int kElements = 64;
alignas(64) unsigned page[kElements];
unsigned sum;
pthread_mutex_t filled = PTHREAD_MUTEX_INITIALIZER;

static volatile char& byte(int i) {
  return reinterpret_cast<volatile char*>(page)[i];
}

static void learn_of_the_page() {
  script_wait(0);
  pthread_mutex_lock(&filled);
  pthread_mutex_unlock(&filled);
}

__attribute__((noinline)) unsigned every_second(int count) {
  unsigned s = 0;
  for (int i = 0; i < count; i += 2) s += page[i];  // RACE: read 4
  return s;
}

int main() {
  auto fills = [] {
    pthread_mutex_lock(&filled);
    for (int i = 0; i < 4 * kElements; ++i) byte(i) = 1;
    pthread_mutex_unlock(&filled);
    script_post(0);
  };
  auto sums = [] {
    learn_of_the_page();
    sum = every_second(kElements);
    script_post(1);
  };
  auto changes = [] {
    learn_of_the_page();
    script_wait(1);
    byte(4 * 24 + 2) = 2;  // RACE: write 1
  };
  run_threads(fills, sums, changes);
  keep_object(page);
}
