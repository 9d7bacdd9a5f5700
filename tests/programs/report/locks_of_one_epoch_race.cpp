// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// Between two unlocks a thread may take locks one after the other: each access is reported with those it was made under,
// also if nothing but the second lock lies between them. (No twin: this is about what a report says of locks.)
#include <pthread.h>

#include "script.h"
#include "spawn.h"

pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
long under_none, under_one, under_two;

int main() {
  run_threads(
      [] {
        under_none = 1;  // RACE: none write 8
        pthread_mutex_lock(&outer);
        under_one = 1;  // RACE: one write 8
        pthread_mutex_lock(&inner);
        under_two = 1;  // RACE: two write 8
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
        script_post(0);
      },
      [] {
        script_wait(0);
        keep(under_none);  // RACE: none read 8
        keep(under_one);   // RACE: one read 8
        keep(under_two);   // RACE: two read 8
      });
}

// CHECK: Previous write of size 8 at {{.*}} by thread T{{[0-9]+}}:
// CHECK: Previous write of size 8 at {{.*}} by thread T{{[0-9]+}} (mutexes: write M{{[0-9]+}}):
// CHECK: Previous write of size 8 at {{.*}} by thread T{{[0-9]+}} (mutexes: write M{{[0-9]+}}, write M{{[0-9]+}}):
