// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A thread-local variable is private only while its address stays at home.
#include "script.h"
#include "spawn.h"

thread_local int mine;

int main() {
  run_threads([] {
    int* leaked = &mine;
    auto other = [=] { *leaked = 1; };  // RACE: write 4
    pthread_t thread = start_thread(other);
    mine = 2;  // RACE: write 4
    join_thread(thread);
  });
}
