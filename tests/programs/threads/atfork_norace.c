// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// pthread_atfork handlers: the classic use, taking a lock over the fork.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static int guarded;

static void lock(void) {
  pthread_mutex_lock(&mutex);
}
static void unlock(void) {
  pthread_mutex_unlock(&mutex);
}

static void* busy(void* unused) {
  while (!atomic_load(&stop)) {
    lock();
    ++guarded;
    unlock();
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  int status;
  pthread_atfork(lock, unlock, unlock);
  pthread_create(&thread, 0, busy, 0);
  pid_t child = fork();
  if (child == 0) {
    lock();
    ++guarded;
    unlock();
    _exit(0);
  }
  waitpid(child, &status, 0);
  lock();
  ++guarded;
  unlock();
  atomic_store(&stop, 1);
  pthread_join(thread, 0);
  return status;
}
