// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// Locks are not always released in the reverse order: who walks along a list takes the next before
// letting go of the last. Each access is reported with the locks that were held at that moment.
// (No twin: this is about what a report says of locks.)
#include <pthread.h>

#include "script.h"
#include "spawn.h"

pthread_mutex_t first, second, third;
long at_first, at_both, at_second, at_third, at_none;

int main() {
  pthread_mutex_init(&first, nullptr);
  pthread_mutex_init(&second, nullptr);
  pthread_mutex_init(&third, nullptr);
  run_threads(
      [] {
        pthread_mutex_lock(&first);
        at_first = 1;  // RACE: first write 8
        pthread_mutex_lock(&second);
        at_both = 1;  // RACE: both write 8
        pthread_mutex_unlock(&first);
        at_second = 1;  // RACE: second write 8
        pthread_mutex_lock(&third);
        pthread_mutex_unlock(&second);
        at_third = 1;  // RACE: third write 8
        pthread_mutex_unlock(&third);
        at_none = 1;  // RACE: none write 8
        script_post(0);
      },
      [] {
        script_wait(0);
        keep(at_first);   // RACE: first read 8
        keep(at_both);    // RACE: both read 8
        keep(at_second);  // RACE: second read 8
        keep(at_third);   // RACE: third read 8
        keep(at_none);    // RACE: none read 8
      });
}

// clang-format off
// CHECK: Previous write {{.*}} by thread T{{[0-9]+}} (mutexes: write [[A:M[0-9]+]]):
// CHECK: global 'at_first'
// CHECK: Mutex [[A]] ({{.*}}) created
// CHECK-NEXT: hand_over_hand_race.cpp:18
// CHECK: Previous write {{.*}} by thread T{{[0-9]+}} (mutexes: write [[B:M[0-9]+]], write [[C:M[0-9]+]]):
// CHECK: global 'at_both'
// CHECK: Mutex [[B]] ({{.*}}) created
// CHECK-NEXT: hand_over_hand_race.cpp:19
// CHECK: Mutex [[C]] ({{.*}}) created
// CHECK-NEXT: hand_over_hand_race.cpp:18
// CHECK: Previous write {{.*}} by thread T{{[0-9]+}} (mutexes: write [[D:M[0-9]+]]):
// CHECK: global 'at_second'
// CHECK: Mutex [[D]] ({{.*}}) created
// CHECK-NEXT: hand_over_hand_race.cpp:19
// CHECK: Previous write {{.*}} by thread T{{[0-9]+}} (mutexes: write [[E:M[0-9]+]]):
// CHECK: global 'at_third'
// CHECK: Mutex [[E]] ({{.*}}) created
// CHECK-NEXT: hand_over_hand_race.cpp:20
// CHECK: Previous write {{.*}} by thread T{{[0-9]+}}:
// CHECK: global 'at_none'
