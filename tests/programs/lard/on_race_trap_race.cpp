// REQUIRES: bigfoot
// RUN: %clangxx --detector=fasttrack --check-first %s %support -o %t
// RUN: env BIGFOOT_OPTIONS=on_race=trap %not --crash %t > %t.out 2>&1
// RUN: %filecheck %s --input-file %t.out
// RUN: env BIGFOOT_OPTIONS=on_race=callback %not %t > %t.callback 2>&1
// RUN: %filecheck %s --check-prefix=CALLBACK --input-file %t.callback

// on_race=trap reports, then traps before the second access has happened.
#include <bigfoot/lard.h>
#include <signal.h>
#include <unistd.h>

#include "script.h"
#include "spawn.h"

// CALLBACK-NOT: WARNING
// CALLBACK: stopped by the handler

int shared;

__attribute__((no_sanitize("thread"))) void trapped(int) {
  if (shared == 1) (void)!write(2, "trapped before the access\n", 26);
  signal(SIGTRAP, SIG_DFL);
}

__attribute__((no_sanitize("thread"))) int handler(const bf_lard_race*, void*) {
  if (shared == 1) (void)!write(2, "stopped by the handler\n", 23);
  _exit(1);
}

int main(int argc, char**) {
  signal(SIGTRAP, trapped);
  const char* options = argc > 0 ? getenv("BIGFOOT_OPTIONS") : nullptr;
  if (options != nullptr && options[8] == 'c') bf_lard_on_race(handler, nullptr, BF_LARD_TELL);
  run_threads(
      [] {
        shared = 1;
        script_post(0);
      },
      [] {
        script_wait(0);
        // CHECK: WARNING: BigFoot: data race
        // CHECK: SUMMARY: BigFoot: data race {{.*}}on_race_trap_race.cpp:[[# @LINE + 2]]:
        // CHECK: trapped before the access
        shared = 2;
        raise(SIGTRAP);
      });
}
