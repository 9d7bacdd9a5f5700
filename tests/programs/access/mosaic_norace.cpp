// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// The twin of mosaic_race: the second thread has the bytes between, which nobody else touches, and
// those that the first one has handed on.
#include <pthread.h>

#include "script.h"
#include "spawn.h"

char text[64] __attribute__((aligned(64)));
char handed[64] __attribute__((aligned(64)));
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline, used)) static void put(char* p, char c) {
  *p = c;
}
__attribute__((noinline, used)) static void put_again(char* p, char c) {
  *p = c;
}
__attribute__((noinline, used)) static char get(const char* p) {
  return *p;
}

int main() {
  auto first = [] {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 24; i += 3) {
      put(handed + i, 'a');
      put_again(handed + i + 1, 'b');
      keep(get(handed + i + 2));
    }
    pthread_mutex_unlock(&mutex);
    put(text, 'a');
    put_again(text + 2, 'c');
    keep(get(text + 5));
    script_post(0);
    script_wait(1);
    put(text + 4, 'd');
    keep(get(text + 6));
  };
  auto second = [] {
    script_wait(0);
    text[1] = 'x';
    text[3] = 'z';
    keep(get(text + 5));
    keep(get(text + 6));
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 24; ++i) put(handed + i, 'e');
    pthread_mutex_unlock(&mutex);
    script_post(1);
  };
  run_threads(first, second);
  keep_object(text);
  keep_object(handed);
}
