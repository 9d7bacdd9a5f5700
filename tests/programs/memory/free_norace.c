// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Blocks freed by the thread that got them last, handed over by join and by mutex.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int* mailbox;

static void* consumer(void* unused) {
  int* taken = 0;
  while (!taken) {
    pthread_mutex_lock(&mutex);
    taken = mailbox;
    mailbox = 0;
    pthread_mutex_unlock(&mutex);
  }
  int value = *taken;
  free(taken);
  return value == 7 ? unused : &mutex;
}

int main(void) {
  pthread_t thread;
  void* failed;
  int* block = malloc(sizeof *block);
  pthread_create(&thread, 0, consumer, 0);
  *block = 7;
  pthread_mutex_lock(&mutex);
  mailbox = block;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, &failed);
  return failed != 0;
}
