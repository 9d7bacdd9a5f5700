// RUN: %clangxx -fPIC -shared %S/Inputs/counter.cpp -o %t.so
// RUN: %clangxx %s %support %t.so -o %t
// RUN: %run_clean %t

// Program and library hand data to each other in order.
#include <pthread.h>

#include "Inputs/counter.h"
#include "script.h"
#include "spawn.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main() {
  auto add = [] {
    pthread_mutex_lock(&mutex);
    counter_add(1);
    pthread_mutex_unlock(&mutex);
  };
  run_threads(add, add, add);
  require(counter_get() == 3);
}
