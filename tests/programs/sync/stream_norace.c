// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: false alarm: streams order nothing

// A pipe whose ends are streams of <stdio.h>: what was written before is before what is read after,
// whichever function writes or reads, and whenever the buffer goes out.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "script.h"

static int data[5];
static int fds[2];
static FILE *in, *out;

static void* writer(void* unused) {
  data[0] = 1;
  fprintf(out, "%d\n", 0);
  fflush(out);
  data[1] = 1;
  fputs("1\n", out);
  fflush(out);
  data[2] = 1;
  fwrite("2\n", 1, 2, out);
  fflush(out);
  data[3] = 1;
  dprintf(fds[1], "3\n");
  data[4] = 1;
  putc('4', out);
  putc('\n', out);
  fclose(out);
  return unused;
}

int main(void) {
  pthread_t thread;
  char line[16];
  char* whole = NULL;
  size_t room = 0;
  int number;
  if (pipe(fds) != 0) return 2;
  in = fdopen(fds[0], "r");
  out = fdopen(fds[1], "w");
  keep_object(data);
  pthread_create(&thread, 0, writer, 0);
  if (fgets(line, sizeof line, in) == NULL) return 3;
  keep(data[0]);
  if (fscanf(in, "%d\n", &number) != 1) return 4;
  keep(data[1]);
  if (fread(line, 1, 1, in) != 1) return 5;
  keep(data[2]);
  if (getline(&whole, &room, in) < 0) return 6;
  if (fgets(line, sizeof line, in) == NULL) return 7;
  keep(data[3]);
  if (fgets(line, sizeof line, in) == NULL) return 8;
  if (fgets(line, sizeof line, in) != NULL) return 9;
  keep(data[4]);
  free(whole);
  pthread_join(thread, 0);
}
