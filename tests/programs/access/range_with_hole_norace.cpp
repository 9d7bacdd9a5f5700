// RUN: %clangxx %s %support -o %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_clean %t 8
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_clean %t 22

// The twin: a second lock and unlock orders the second thread after what it meets.
#include "script.h"
#include "spawn.h"

constexpr int kWords = 23;
alignas(64) long written[kWords];
alignas(64) long only_read[kWords];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void write_words(int first, int last) {
  for (int i = first; i < last; ++i) written[i] = i;
}
__attribute__((noinline)) long read_words(int first, int last) {
  long sum = 0;
  for (int i = first; i < last; ++i) sum += only_read[i];
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
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    script_post(2);
  };
  auto second = [=] {
    script_wait(0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    script_post(1);
    script_wait(2);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    keep(written[hole]);
    only_read[hole] = 1;
  };
  run_threads(first, second);
}
