// REQUIRES: bigfoot
// RUN: %clangxx --check-first %s %support -o %t
// RUN: %run_clean %t
// RUN: %clangxx --detector=redcard --check-first %s %support -o %t.redcard
// RUN: %run_clean %t.redcard
// RUN: %clangxx --detector=slimstate --check-first %s %support -o %t.slimstate
// RUN: %run_clean %t.slimstate

// With --check-first any detector stops the second access of a race before it happens, also where
// it would otherwise check a loop behind it or the fields of an object together.
#include <bigfoot/lard.h>
#include <setjmp.h>
#include <string.h>

#include "script.h"
#include "spawn.h"

namespace {

struct Point {
  long x, y, z;
};

int element[64];
int copied[64];
int counter;
Point point;

jmp_buf recovery;
int stopped;

// The memory that the race is about is still as the other thread left it.
__attribute__((no_sanitize("thread"))) int handler(const bf_lard_race* race, void*) {
  const auto* p = static_cast<const volatile char*>(race->current.address);
  require(race->current.writes ? *p == 1 : true);
  ++stopped;
  longjmp(recovery, 1);
}

void fill(int* a, int n, int value) {
  for (int i = 0; i < n; ++i) a[i] = value;
}

template <class Access>
void is_stopped(Access access) {
  const int before = stopped;
  if (setjmp(recovery) == 0) access();
  require(stopped == before + 1);
}

}  // namespace

int main() {
  require(bf_lard_on_race(handler, nullptr, BF_LARD_STOP) == BF_LARD_OK);
  const int source[64] = {2};
  run_threads(
      [] {
        fill(element, 64, 1);
        fill(copied, 64, 1);
        counter = 1;
        point = {1, 1, 1};
        script_post(0);
      },
      [&] {
        script_wait(0);
        is_stopped([] { fill(element, 64, 2); });
        is_stopped([] { counter += 2; });
        is_stopped([] { point = {2, 2, 2}; });
        is_stopped([&] { memcpy(copied, source, sizeof source); });
        is_stopped([] { keep(point.y); });
      });
  for (int e : element) require(e == 1);
  for (int c : copied) require(c == 1);
  require(counter == 1 && point.x == 1 && point.y == 1 && point.z == 1);
}
