// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// A thread made by a thread: the report says who made it.
#include "script.h"
#include "spawn.h"

int shared;

int main() {
  run_threads([] {
    auto inner = [] {
      shared = 1;  // RACE: write 4
      script_post(0);
    };
    pthread_t thread = start_thread(inner);
    script_wait(0);
    shared = 2;  // RACE: write 4
    join_thread(thread);
  });
  keep(shared);
}

// CHECK: Write of size 4 at {{0x[0-9a-f]+}} by thread T1:
// CHECK: Previous write of size 4 at {{0x[0-9a-f]+}} by thread T2:
// CHECK-DAG: Thread T1 {{.*}} created by main thread at:
// CHECK-DAG: Thread T2 {{.*}} created by thread T1 at:
