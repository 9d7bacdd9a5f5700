// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// The older Annotate functions.
#include <pthread.h>

#include "script.h"

void AnnotateHappensBefore(const char* file, int line, const volatile void* address);
void AnnotateHappensAfter(const char* file, int line, const volatile void* address);

static int data;
static char channel;

static void* writer(void* unused) {
  data = 42;
  AnnotateHappensBefore(__FILE__, __LINE__, &channel);
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  script_wait(0);
  AnnotateHappensAfter(__FILE__, __LINE__, &channel);
  int seen = data;
  pthread_join(thread, 0);
  return seen == 42 ? 0 : 1;
}
