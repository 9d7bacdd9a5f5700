// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Forks from a process whose other threads lock, allocate and touch new memory all the time: neither the
// child nor the parent may hang in a lock that another thread held at that moment. The child does what is
// async-signal-safe, and touches new memory itself.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter;

enum { kForks = 20, kSpan = 1 << 22 };
static char bytes[2][kSpan];
static int in_child[kForks * 1024];

static void* busy(void* mine) {
  char* next = mine;
  while (!atomic_load(&stop)) {
    void* block = malloc(100);
    for (int i = 0; i < 512 && next < (char*)mine + kSpan; ++i) *next++ = 1;
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
    free(block);
  }
  return mine;
}

int main(void) {
  pthread_t threads[2];
  int failed = 0;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, busy, bytes[i]);
  for (int i = 0; i < kForks; ++i) {
    int status;
    pid_t child = fork();
    if (child == 0) {
      for (int k = 0; k < 1024; ++k) in_child[i * 1024 + k] = k;
      _exit(0);
    }
    waitpid(child, &status, 0);
    failed |= status;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return failed;
}
