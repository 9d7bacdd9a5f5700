// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Signals arrive while the only thread of the program touches new memory, byte by byte and int by int, and the handler does
// so, too: the run time, which makes room for both, must not wait for itself.
#include <signal.h>
#include <sys/time.h>

#include "script.h"

enum { kBytes = 1 << 24, kApart = 1024, kMarks = 1 << 14 };
static char bytes[kBytes];
static int ints[kBytes / 4];
static int marks[kMarks * kApart / 4];
static volatile sig_atomic_t ticks;

static void on_tick(int number) {
  (void)number;
  if (ticks < kMarks) {
    marks[ticks * (kApart / 4)] = 1;
    ++ticks;
  }
}

int main(void) {
  struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
  struct itimerval every = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  sigaction(SIGALRM, &action, 0);
  setitimer(ITIMER_REAL, &every, 0);
  volatile char* byte = bytes;
  volatile int* word = ints;
  for (int i = 0; i < kBytes / 4; ++i) {
    byte[i * 4] = 1;
    word[i] = 1;
  }
  setitimer(ITIMER_REAL, &never, 0);
  keep_object(bytes);
  keep_object(ints);
  keep_object(marks);
  return 0;
}
