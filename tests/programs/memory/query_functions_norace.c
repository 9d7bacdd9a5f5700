// RUN: %clang -fno-builtin %s %support -o %t
// RUN: %run_clean %t

// Two threads search the same text, and one writes behind the end of the string.
#include <pthread.h>
#include <string.h>

#include "script.h"

static char text[64] = "a needle in a haystack";

static void* search(void* unused) {
  return strlen(text) == 22 && strcmp(text, "a noodle") < 0 && strchr(text, 'n') == text + 2
             ? unused
             : text;
}

int main(void) {
  pthread_t first, second;
  void *failed, *failed_too;
  pthread_create(&first, 0, search, 0);
  pthread_create(&second, 0, search, 0);
  text[23] = '!';
  pthread_join(first, &failed);
  pthread_join(second, &failed_too);
  return failed || failed_too;
}
