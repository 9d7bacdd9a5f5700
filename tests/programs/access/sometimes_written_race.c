// RUN: %clang %s -o %t
// RUN: %run_racy %t

// As sometimes_written_norace.c, but the loops find something, count something, and have rounds.
#include <pthread.h>
#include <stdalign.h>

struct results {
  alignas(64) double largest;
  alignas(64) long count;
  alignas(64) long sum;
  alignas(64) long last;
};
static struct results results;
static int numbers[64];
static volatile int zero;

__attribute__((noinline)) static void find(const int* p, int n, int limit) {
  for (int i = 0; i < n; ++i) {
    if (p[i] > limit) results.largest = results.largest * 0.5 + p[i];  // RACE: largest read 8, write 8
  }
}

__attribute__((noinline)) static void count(const int* p, int n, int end) {
  for (int i = 0; i < n; ++i) {
    if (p[i] == end) break;
    results.count += p[i];  // RACE: count read 8, write 8
  }
}

__attribute__((noinline)) static void sum_up(const int* p, int n) {
  for (int i = 0; i < n; ++i) results.sum += p[i];  // RACE: sum read 8, write 8
}

// What is written in every round is not read unless there is a number below zero.
__attribute__((noinline)) static long walk(const int* p, int n) {
  long seen = 0;
  for (int i = 0; i < n; ++i) {
    if (p[i] < 0) seen += results.last;
    results.last = p[i];  // RACE: last write 8
  }
  return seen;
}

static void* look(void* argument) {
  find(numbers, 64 + zero, 100 + zero);
  count(numbers, 64 + zero, zero);
  sum_up(numbers, 64 + zero);
  if (walk(numbers, 64 + zero) != 0) return 0;
  return argument;
}

static void* set(void* argument) {
  results.largest = 1;  // RACE: largest write 8
  results.count = 1;    // RACE: count write 8
  results.sum = 1;      // RACE: sum write 8
  results.last = 1;     // RACE: last write 8
  return argument;
}

int main(void) {
  for (int i = 0; i < 64; ++i) numbers[i] = zero;
  numbers[0] = 200;
  pthread_t threads[2];
  pthread_create(&threads[0], 0, look, 0);
  pthread_create(&threads[1], 0, set, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return results.largest > 0 ? 0 : 1;
}
