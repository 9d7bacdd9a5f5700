// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %not --crash %t segmentation 2>&1 | %filecheck %s
// RUN: %not --crash %t division 2>&1 | %filecheck %s
// RUN: %not --crash %t raised 2>&1 | %filecheck %s
// RUN: %not --crash %t handled 2>&1 | %filecheck %s

// What the threads have done to an array is told before a fault that nobody handles ends the
// process, and it ends by that signal.
#include <signal.h>
#include <stdlib.h>

#include <string_view>

#include "script.h"
#include "spawn.h"

__attribute__((noinline)) void fill(long* cells, long value) {
  for (int i = 0; i < 100; ++i) cells[i] = value;
  // CHECK: data race
  // CHECK: crashed_race.cpp:[[#@LINE-2]]
}

// A handler that has had enough and lets the signal do what it does.
void give_up(int signal) {
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void crash(std::string_view how) {
  int* volatile nowhere = nullptr;
  volatile int many = 100, zero = 0;
  if (how == "segmentation") *nowhere = 1;
  if (how == "division") keep(many / zero);
  if (how == "raised") raise(SIGABRT);
  if (how == "handled") {
    signal(SIGBUS, give_up);
    raise(SIGBUS);
  }
}

int main(int, char** arguments) {
  const std::string_view how = arguments[1];
  long* cells = new long[1000]();
  keep_object(cells);
  run_threads(
      [=] {
        fill(cells, 1);
        script_post(0);
        script_wait(1);  // never comes
      },
      [=] {
        script_wait(0);
        fill(cells, 2);
        crash(how);
        exit(0);
      });
}
