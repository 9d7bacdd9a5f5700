// RUN: %clang %s -o %t
// RUN: %run_clean %t
// TSAN(O1, O2, O3, lto, thinlto): false alarm: what a loop only sometimes writes is read ahead of it

// A loop that writes where it finds something finds nothing, one that counts until it finds something
// finds it at once, one has no rounds. The optimiser may keep in registers what they write; but that
// it would read that ahead of the loops for this is no access of the program.
#include <pthread.h>
#include <stdalign.h>

struct results {
  alignas(64) double largest;
  alignas(64) long count;
  alignas(64) long sum;
};
static struct results results;
static int numbers[64];
static volatile int zero;

__attribute__((noinline)) static void find(const int* p, int n, int limit) {
  for (int i = 0; i < n; ++i) {
    if (p[i] > limit) results.largest = results.largest * 0.5 + p[i];
  }
}

__attribute__((noinline)) static void count(const int* p, int n, int end) {
  for (int i = 0; i < n; ++i) {
    if (p[i] == end) break;
    results.count += p[i];
  }
}

__attribute__((noinline)) static void sum_up(const int* p, int n) {
  for (int i = 0; i < n; ++i) results.sum += p[i];
}

static void* look(void* argument) {
  find(numbers, 64 + zero, 100 + zero);
  count(numbers, 64 + zero, zero);
  sum_up(numbers, zero);
  return argument;
}

static void* set(void* argument) {
  results.largest = 1;
  results.count = 1;
  results.sum = 1;
  return argument;
}

int main(void) {
  for (int i = 0; i < 64; ++i) numbers[i] = zero;
  pthread_t threads[2];
  pthread_create(&threads[0], 0, look, 0);
  pthread_create(&threads[1], 0, set, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return results.largest == 1 && results.count == 1 && results.sum == 1 ? 0 : 1;
}
