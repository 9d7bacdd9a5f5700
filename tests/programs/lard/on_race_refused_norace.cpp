// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %t > %t.out 2>&1
// RUN: %filecheck %s --input-file %t.out --implicit-check-not=bigfoot:
// RUN: env BIGFOOT_OPTIONS=on_race=trap %not %t > %t.trap 2>&1
// RUN: %filecheck %s --check-prefix=TRAP --input-file %t.trap
// RUN: env BIGFOOT_OPTIONS=on_race=callback %not %t > %t.callback 2>&1
// RUN: %filecheck %s --check-prefix=TRAP --input-file %t.callback
// RUN: %clangxx --check-first -DONLY_MAIN -c %s -o %t.main.o
// RUN: %clangxx -DONLY_OTHER -c %s -o %t.other.o
// RUN: %clangxx %t.main.o %t.other.o %support -o %t.mixed
// RUN: %t.mixed > %t.mixed.out 2>&1
// RUN: %filecheck %s --input-file %t.mixed.out --implicit-check-not=bigfoot:
// RUN: %clangxx -DONLY_OTHER -fPIC -shared %s -o %t.so
// RUN: %clangxx --check-first -DONLY_MAIN -DLOADS %s %support -ldl -o %t.loads
// RUN: %not %t.loads %t.so > %t.loads.out 2>&1
// RUN: %filecheck %s --check-prefix=LOADED --input-file %t.loads.out

// A program with a module whose accesses do not wait for their checks cannot stop them.
// TRAP: bigfoot: races are to be stopped, but {{.*}}on_race_refused_norace.cpp was compiled without --check-first: its accesses may come before their checks; recompile it
// TRAP-NOT: main has begun
// LOADED: main has begun
// LOADED-NEXT: bigfoot: races are to be stopped, but {{.*}}on_race_refused_norace.cpp was compiled without --check-first
// LOADED-NOT: main goes on
#include <bigfoot/lard.h>
#include <dlfcn.h>
#include <unistd.h>

#include "script.h"
#include "spawn.h"

int other();

#ifndef ONLY_MAIN
int other() {
  return 1;
}
#endif
#ifndef ONLY_OTHER
#ifdef LOADS
int other() {
  return 1;
}
#endif

namespace {
int handler(const bf_lard_race*, void*) {
  return BF_LARD_QUIET;
}
}  // namespace

int main(int argc, char** argv) {
  (void)!write(2, "main has begun\n", 15);
  if (argc > 1) {
    require(bf_lard_on_race(handler, nullptr, BF_LARD_STOP) == BF_LARD_OK);
    require(dlopen(argv[1], RTLD_NOW) != nullptr);
    (void)!write(2, "main goes on\n", 13);
    return 0;
  }
  // CHECK: bigfoot: bf_lard_on_race: BF_LARD_STOP needs each check before its access, but {{.*}}on_race_refused_norace.cpp was compiled without --check-first, called in main{{.*}}:[[# @LINE + 1]]:
  require(bf_lard_on_race(handler, nullptr, BF_LARD_STOP) == BF_LARD_MISUSE);
  require(bf_lard_on_race(handler, nullptr, BF_LARD_TELL) == BF_LARD_OK);
  return other() - 1;
}
#endif
