// REQUIRES: bigfoot
// RUN: %clangxx --detector=fasttrack --check-first %s %support -o %t
// RUN: %run_clean %t

// The handler of a native program leaves by longjmp: the second access of the race does not happen,
// and is not part of the history.
#include <bigfoot/lard.h>
#include <setjmp.h>

#include "script.h"
#include "spawn.h"

int shared;
thread_local jmp_buf recovery;

int handler(const bf_lard_race*, void*) {
  longjmp(recovery, 1);
}

int main() {
  bf_lard_on_race(handler, nullptr, BF_LARD_STOP);
  run_threads(
      [] {
        shared = 1;
        script_post(0);
        script_wait(1);
        shared = 2;  // races with nothing: the other one's write was stopped
      },
      [] {
        script_wait(0);
        volatile bool stopped = false;
        if (setjmp(recovery) == 0)
          shared = 3;
        else
          stopped = true;
        require(stopped);
        script_post(1);
      });
  require(shared == 2);
}
