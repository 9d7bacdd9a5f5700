// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// A block on the heap: its size, and where which thread allocated it.
#include "script.h"
#include "spawn.h"

__attribute__((noinline)) int* make_table() {
  return new int[25]();
}

int main() {
  int* table = nullptr;
  run_threads([&] { table = make_table(); });
  run_threads([=] { table[7] = 1; },   // RACE: write 4
              [=] { table[7] = 2; });  // RACE: write 4
  delete[] table;
}

// CHECK: WARNING: {{BigFoot|ThreadSanitizer}}: data race
// CHECK: Location is heap block of size 100 at {{0x[0-9a-f]+}} allocated by thread T1:
// CHECK: make_table() {{.*}}heap_race.cpp:10:{{[0-9]+}}
