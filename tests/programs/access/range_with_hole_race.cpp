// RUN: %clangxx %s %support -o %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_racy %t 8
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_racy %t 9
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_racy %t 10
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_racy %t 11
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_racy %t 20
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_racy %t 22

// A range check finds what its epoch has done already, four words at a look and then the rest. One
// word that only an earlier epoch has accessed is still to be done, wherever in such a look it is.
#include "script.h"
#include "spawn.h"

constexpr int kWords = 23;
alignas(64) long written[kWords];
alignas(64) long only_read[kWords];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void write_words(int first, int last) {
  for (int i = first; i < last; ++i) written[i] = i;  // RACE: wrote write
}
__attribute__((noinline)) long read_words(int first, int last) {
  long sum = 0;
  for (int i = first; i < last; ++i) sum += only_read[i];  // RACE: looked read
  return sum;
}

int main(int, char** arguments) {
  const int hole = atoi(arguments[1]);
  require(hole > 0 && hole < kWords);
  auto first = [=] {
    write_words(0, kWords);
    long sum = read_words(0, kWords);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    script_post(0);
    script_wait(1);
    write_words(0, hole);
    write_words(hole + 1, kWords);
    write_words(0, kWords);
    sum += read_words(0, hole) + read_words(hole + 1, kWords) + read_words(0, kWords);
    keep(sum);
    script_post(2);
  };
  // Knows of what the other thread did in its first epoch, and of nothing later.
  auto second = [=] {
    script_wait(0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    script_post(1);
    script_wait(2);
    keep(written[hole]);  // RACE: wrote read 8
    only_read[hole] = 1;  // RACE: looked write 8
  };
  run_threads(first, second);
}
