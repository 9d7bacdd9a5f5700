// RUN: %clang -D_GNU_SOURCE -fno-builtin %s %support -o %t
// RUN: %run_clean %t

// The same calls: what they do not touch (the second number, which was not there; the rest of a
// text), and what is ordered, is no race.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "script.h"

#define SHARED static _Alignas(64)
SHARED void* aligned;
SHARED void* returned;
SHARED pthread_t handle;
SHARED time_t seconds;
SHARED struct timeval of_day;
SHARED char* stopped;
SHARED int scanned[4];
SHARED char* printed;
SHARED char* line;
SHARED int sorted[4];
SHARED char shown[8] = "abcd";
SHARED int ends[2];

static void* quick(void* unused) {
  return unused;
}
static int compare(const void* a, const void* b) {
  keep_object(a), keep_object(b);
  return 0;
}

static void* library(void* unused) {
  pthread_t other;
  size_t size = 0;
  char text[16];
  FILE* file = fmemopen("one\ntwo\n", 8, "r");
  if (posix_memalign(&aligned, 64, 64) != 0) return shown;
  pthread_create(&handle, 0, quick, 0);
  pthread_join(handle, 0);
  pthread_create(&other, 0, quick, 0);
  pthread_join(other, &returned);
  time(&seconds);
  gettimeofday(&of_day, 0);
  keep(strtol("12 apples", &stopped, 10));
  sscanf("1 2 x", "%d%*d%d", &scanned[0], &scanned[1]);
  if (asprintf(&printed, "%d", 12) < 0) return shown;
  if (getline(&line, &size, file) < 0) return shown;
  qsort(sorted, 4, sizeof sorted[0], compare);
  snprintf(text, sizeof text, "%5.3s|%d", shown, 1);
  if (pipe(ends) != 0) return shown;
  fclose(file);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, library, 0);
  scanned[1] = 1;
  shown[3] = 1;
  pthread_join(thread, 0);
  keep((long)aligned);
  keep((long)handle);
  keep((long)returned);
  keep(seconds);
  keep(of_day.tv_usec);
  keep((long)stopped);
  keep(scanned[0]);
  keep((long)printed);
  keep((long)line);
  sorted[3] = 1;
  shown[2] = 'c';
  keep(ends[1]);
}
