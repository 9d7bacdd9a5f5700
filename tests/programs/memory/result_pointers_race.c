// REQUIRES: bigfoot
// RUN: %clang -D_GNU_SOURCE -fno-builtin %s %support -o %t
// RUN: %run_racy %t

// Library functions that store what they have found behind a pointer: the write is the program's.
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
  if (posix_memalign(&aligned, 64, 64) != 0) return shown;  // RACE: memalign write 8
  pthread_create(&handle, 0, quick, 0);                     // RACE: create write 8
  pthread_join(handle, 0);
  pthread_create(&other, 0, quick, 0);
  pthread_join(other, &returned);                        // RACE: join write 8
  time(&seconds);                                        // RACE: time write 8
  gettimeofday(&of_day, 0);                              // RACE: day write
  keep(strtol("12 apples", &stopped, 10));               // RACE: strtol write 8
  sscanf("1 2 x", "%d%*d%d", &scanned[0], &scanned[1]);  // RACE: sscanf write 4
  if (asprintf(&printed, "%d", 12) < 0) return shown;    // RACE: asprintf write 8
  if (getline(&line, &size, file) < 0) return shown;     // RACE: getline write 8
  qsort(sorted, 4, sizeof sorted[0], compare);           // RACE: qsort read, write
  snprintf(text, sizeof text, "%5.3s|%d", shown, 1);     // RACE: snprintf read
  if (pipe(ends) != 0) return shown;                     // RACE: pipe write
  fclose(file);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, library, 0);
  keep((long)aligned);   // RACE: memalign read 8
  keep((long)handle);    // RACE: create read 8
  keep((long)returned);  // RACE: join read 8
  keep(seconds);         // RACE: time read 8
  keep(of_day.tv_usec);  // RACE: day read 8
  keep((long)stopped);   // RACE: strtol read 8
  keep(scanned[0]);      // RACE: sscanf read 4
  keep((long)printed);   // RACE: asprintf read 8
  keep((long)line);      // RACE: getline read 8
  sorted[3] = 1;         // RACE: qsort write 4
  shown[2] = 'c';        // RACE: snprintf write 1
  keep(ends[1]);         // RACE: pipe read 4
  pthread_join(thread, 0);
}
