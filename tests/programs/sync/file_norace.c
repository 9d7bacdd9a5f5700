// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Buffered files of the C library, used by two threads at once: FILE locks itself.
#include <pthread.h>
#include <stdio.h>

static FILE* file;

static void* writer(void* text) {
  for (int i = 0; i < 100; ++i) fprintf(file, "%s %d\n", (const char*)text, i);
  return 0;
}

int main(void) {
  pthread_t first, second;
  char line[32];
  int lines = 0;
  file = tmpfile();
  if (!file) return 2;
  pthread_create(&first, 0, writer, "one");
  pthread_create(&second, 0, writer, "two");
  pthread_join(first, 0);
  pthread_join(second, 0);
  rewind(file);
  while (fgets(line, sizeof line, file)) ++lines;
  fclose(file);
  return lines == 200 ? 0 : 1;
}
