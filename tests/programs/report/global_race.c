// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// The text of a report: header, both accesses with their stacks, the global by name, where the
// thread was created, the summary. The shape is ThreadSanitizer's because editors parse it.
#include <pthread.h>

#include "script.h"

int shared_counter;

__attribute__((noinline)) static void add_one(void) {
  shared_counter = 1;  // RACE: write 4
  keep_object(&shared_counter);
}

static void* worker(void* unused) {
  add_one();
  keep_object(unused);
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  script_wait(0);
  keep(shared_counter);  // RACE: read 4
  pthread_join(thread, 0);
}

// clang-format off
// CHECK: WARNING: {{BigFoot|ThreadSanitizer}}: data race (pid={{[0-9]+}})
// CHECK-NEXT:   Read of size 4 at [[ADDRESS:0x[0-9a-f]+]] by main thread:
// CHECK-NEXT:     #0 main {{.*}}global_race.c:29:{{[0-9]+}}
// CHECK:        Previous write of size 4 at [[ADDRESS]] by thread T1:
// CHECK-NEXT:     #0 add_one {{.*}}global_race.c:14:{{[0-9]+}}
// CHECK-NEXT:     #1 worker {{.*}}global_race.c:19:{{[0-9]+}}
// CHECK:        Location is global 'shared_counter' of size 4 at [[ADDRESS]]
// CHECK:        Thread T1 {{.*}} created by main thread at:
// CHECK:          main {{.*}}global_race.c:27:{{[0-9]+}}
// CHECK:      SUMMARY: {{BigFoot|ThreadSanitizer}}: data race {{.*}}global_race.c:29:{{[0-9]+}} in main
