// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// After fork parent and child have a memory of their own: the same addresses, no conflict.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int value = 1;

static void* add(void* amount) {
  value += *(int*)amount;
  return 0;
}

static int run_with(int amount) {
  pthread_t thread;
  pthread_create(&thread, 0, add, &amount);
  pthread_join(thread, 0);
  return value;
}

int main(void) {
  int status;
  pid_t child = fork();
  if (child == 0) _exit(run_with(10) == 11 ? 0 : 1);
  if (run_with(100) != 101) return 2;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 3;
}
