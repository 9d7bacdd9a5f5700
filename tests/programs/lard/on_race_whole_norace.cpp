// REQUIRES: bigfoot
// RUN: %clangxx --check-first %s %support -o %t
// RUN: %run_clean %t
// RUN: %clangxx --detector=redcard --check-first %s %support -o %t.redcard
// RUN: %run_clean %t.redcard
// RUN: %clangxx --detector=fasttrack --check-first %s %support -o %t.fasttrack
// RUN: %run_clean %t.fasttrack

// What is checked by one check is stopped as a whole: where only a part of the bytes races, the
// others have no history of an access that did not happen.
#include <bigfoot/lard.h>
#include <setjmp.h>
#include <string.h>

#include "script.h"
#include "spawn.h"

namespace {

using Pair = long __attribute__((vector_size(16)));
struct Point {
  long x, y, z;
};
alignas(64) Point point;
alignas(64) long copied[8], unaligned[3];
alignas(64) Pair pair;
alignas(64) int halves[2];
alignas(64) char apart[128];  // the second thread has its first half to itself
const long source[8] = {9, 9, 9, 9, 9, 9, 9, 9};

thread_local jmp_buf recovery;
thread_local int stopped;
__attribute__((no_sanitize("thread"))) int handler(const bf_lard_race*, void*) {
  ++stopped;
  longjmp(recovery, 1);
}

// Makes the access and tells whether it was stopped.
template <class Access>
bool is_stopped(Access access) {
  const int before = stopped;
  if (setjmp(recovery) == 0) access();
  return stopped != before;
}

__attribute__((noinline)) void set(Point* p, long value) {
  p->x = value;
  p->y = value;
  p->z = value;
}
__attribute__((noinline, no_sanitize("thread"))) long x_of_point() {
  return point.x;
}
__attribute__((noinline)) void set(Pair* p, long value) {
  *p = Pair{value, value};
}

__attribute__((noinline)) long both(const int* two) {
  long value;
  memcpy(&value, two, sizeof value);
  return value;
}

}  // namespace

int main() {
  require(bf_lard_on_race(handler, nullptr, BF_LARD_STOP) == BF_LARD_OK);
  run_threads(
      [] {
        point.z = 1;
        copied[5] = 1;
        unaligned[1] = 1;
        pair[1] = 1;
        halves[1] = 1;
        apart[100] = 1;
        script_post(0);
        script_wait(1);
        // One check for all fields has stopped all of them; three checks, only the last field.
        require(!is_stopped([] {
          if (x_of_point() == 0) set(&point, 2);
        }));
        require(!is_stopped([] { memset(copied, 0, sizeof copied); }));
        require(!is_stopped([] { memset(unaligned, 0, sizeof unaligned); }));
        require(!is_stopped([] { set(&pair, 2); }));
        require(!is_stopped([] { halves[0] = 2; }));
        require(!is_stopped([] { apart[8] = 2; }));
      },
      [] {
        script_wait(0);
        require(is_stopped([] { set(&point, 9); }));
        require(is_stopped([] { memcpy(copied, source, sizeof source); }));
        require(is_stopped([] { memcpy(reinterpret_cast<char*>(unaligned) + 3, source, 8); }));
        require(is_stopped([] { set(&pair, 9); }));
        require(is_stopped([] { keep(both(halves)); }));
        require(!is_stopped([] { apart[0] = 1; }));
        require(is_stopped([] { memset(apart, 9, sizeof apart); }));
        script_post(1);
      });
  require(point.z != 9 && pair[0] == 2 && pair[1] == 2);
  for (long c : copied) require(c == 0);
  for (long u : unaligned) require(u == 0);
  require(apart[8] == 2 && apart[9] == 0);
}
