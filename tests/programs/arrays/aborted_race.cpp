// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %not --crash %t assert 2>&1 | %filecheck %s
// RUN: %not --crash %t abort 2>&1 | %filecheck %s
// RUN: %not --crash %t terminate 2>&1 | %filecheck %s

// What the threads have done to an array is told before one of them ends the process.
#include <stdlib.h>

#undef NDEBUG
#include <assert.h>

#include <exception>
#include <string_view>

#include "script.h"
#include "spawn.h"

__attribute__((noinline)) void fill(long* cells, long value) {
  for (int i = 0; i < 100; ++i) cells[i] = value;
  // CHECK: data race
  // CHECK: aborted_race.cpp:[[#@LINE-2]]
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
        assert(how != "assert");
        if (how == "abort") abort();
        std::terminate();
      });
}
