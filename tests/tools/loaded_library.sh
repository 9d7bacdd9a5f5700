#!/usr/bin/env bash
# A library loaded by dlopen finds the run time in the executable.
. "$(dirname "$0")/support.sh"

cat >main.c <<'SOURCE'
#include <dlfcn.h>
#include <pthread.h>

static void (*bump)(void);

static void* work(void* unused) {
  bump();
  return unused;
}

int main(void) {
  void* library = dlopen("./libcounter.so", RTLD_NOW);
  if (library == 0) return 2;
  bump = (void (*)(void))dlsym(library, "bump");
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  bump();
  pthread_join(thread, 0);
  return 0;
}
SOURCE
expect_clean "$CC" main.c -o main
expect_clean "$CC" -DRACY -fPIC -shared "$sources/counter.c" -o libcounter.so
expect_race ./main "$race"
expect_clean "$CC" -DLOCKED -fPIC -shared "$sources/counter.c" -o libcounter.so
expect_silent ./main
