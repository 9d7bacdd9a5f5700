// long_runs KIND COUNT: does one thing COUNT times and prints the resident memory in KiB.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../programs/support/detached_end.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, count;

static void add_one(void) {
  pthread_mutex_lock(&lock);
  ++counter;
  pthread_mutex_unlock(&lock);
}

static void* add_many(void* unused) {
  for (long i = 0; i < count; ++i) add_one();
  return unused;
}

// In two threads: while the program runs alone nothing is recorded.
static void unlock(void) {
  pthread_t other;
  pthread_create(&other, 0, add_many, 0);
  add_many(0);
  pthread_join(other, 0);
}

static void* short_thread(void* unused) {
  add_one();
  return unused;
}

static void join(void) {
  for (long i = 0; i < count; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, short_thread, 0);
    pthread_join(thread, 0);
  }
}

static void* lonely_thread(void* unused) {
  long* own = malloc(sizeof(long));
  *(volatile long*)own = 1;
  free(own);
  detached_ends();
  return unused;
}

static void detach(void) {
  for (long i = 0; i < count; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, lonely_thread, 0);
    pthread_detach(thread);
    wait_for_detached_end();
  }
}

static long resident_kib(void) {
  long size, resident;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &size, &resident) != 2) exit(1);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  count = atol(argv[2]);
  if (strcmp(argv[1], "unlock") == 0) unlock();
  if (strcmp(argv[1], "join") == 0) join();
  if (strcmp(argv[1], "detach") == 0) detach();
  printf("%ld\n", resident_kib());
}
