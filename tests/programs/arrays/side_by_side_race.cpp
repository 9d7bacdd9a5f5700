// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %not %t 2>&1 | %filecheck --implicit-check-not=bytes %s
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %not %t 2>&1 | %filecheck %s
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %not %t 2>&1 | %filecheck %s

// A loop that the compiler unrolls has several accesses side by side in each round. However they
// are checked, a report tells of the one that raced: its first byte and its size. In an array, in a
// few words that are none, and where some of a round's accesses are in an array and others not.
#include <stdio.h>

#include "script.h"
#include "spawn.h"

extern "C" int __tsan_get_report_mop(void* report, unsigned long i, int* tid, void** address,
                                     int* size, int* write, int* atomic, void** trace,
                                     unsigned long trace_size);

constexpr int kLong = 256, kShort = 48, kEdge = 3;
struct Mixed {
  long head[kEdge], middle[kLong], tail[kEdge];
};
// Who comes first: the loop, or who accesses single elements.
struct Order {
  alignas(64) long array[kLong];
  alignas(64) long few[kShort];
  alignas(64) Mixed mixed;
  alignas(64) int ints[kLong];
};
alignas(4096) Order older;
alignas(4096) Order newer;

#define UNCHECKED __attribute__((no_sanitize("thread")))

UNCHECKED void print(const char* which, const char* begin, const char* address, int size) {
  const long at = address - begin;
  if (at >= 0 && at < static_cast<long>(sizeof(Order)))
    fprintf(stderr, " %s %d bytes at %ld", which, size, at);
}
extern "C" UNCHECKED void __tsan_on_report(void* report) {
  for (int i = 0; i < 2; ++i) {
    int tid, size, write, atomic;
    void *address, *trace[1];
    __tsan_get_report_mop(report, i, &tid, &address, &size, &write, &atomic, trace, 1);
    print(i == 0 ? "loop is older: current" : "older", reinterpret_cast<char*>(&older),
          static_cast<char*>(address), size);
    print(i == 0 ? "loop is newer: current" : "older", reinterpret_cast<char*>(&newer),
          static_cast<char*>(address), size);
  }
  fprintf(stderr, "\n");
}

template <class T>
__attribute__((noinline)) void fill(T* cells, int count) {
#pragma clang loop vectorize(disable) interleave(disable) unroll_count(4)
  for (int i = 0; i < count; ++i) cells[i] = i;
}
__attribute__((noinline)) long* words(Mixed& m) {
  keep_object(&m);
  return reinterpret_cast<long*>(&m);
}
void loops(Order& o) {
  fill(o.array, kLong);
  fill(o.few, kShort);
  fill(words(o.mixed), kLong + 2 * kEdge);
  fill(o.ints, kLong);
}
void single(Order& o) {
  o.array[37] = 1;
  o.few[6] = 1;
  o.mixed.head[2] = 1;
  o.mixed.middle[0] = 1;
  o.mixed.middle[255] = 1;
  o.mixed.tail[0] = 1;
  o.ints[101] = 1;
}

int main() {
  run_threads(
      [] {
        loops(older);
        single(newer);
        script_post(0);
      },
      [] {
        script_wait(0);
        single(older);
        loops(newer);
      });
}

// CHECK-DAG: loop is older: current 8 bytes at 296 older 8 bytes at 296
// CHECK-DAG: loop is older: current 8 bytes at 2096 older 8 bytes at 2096
// CHECK-DAG: loop is older: current 8 bytes at 2448 older 8 bytes at 2448
// CHECK-DAG: loop is older: current 8 bytes at 2456 older 8 bytes at 2456
// CHECK-DAG: loop is older: current 8 bytes at 4496 older 8 bytes at 4496
// CHECK-DAG: loop is older: current 8 bytes at 4504 older 8 bytes at 4504
// CHECK-DAG: loop is older: current 4 bytes at 4948 older 4 bytes at 4948
// CHECK-DAG: loop is newer: current 8 bytes at 296 older 8 bytes at 296
// CHECK-DAG: loop is newer: current 8 bytes at 2096 older 8 bytes at 2096
// CHECK-DAG: loop is newer: current 8 bytes at 2448 older 8 bytes at 2448
// CHECK-DAG: loop is newer: current 8 bytes at 2456 older 8 bytes at 2456
// CHECK-DAG: loop is newer: current 8 bytes at 4496 older 8 bytes at 4496
// CHECK-DAG: loop is newer: current 8 bytes at 4504 older 8 bytes at 4504
// CHECK-DAG: loop is newer: current 4 bytes at 4948 older 4 bytes at 4948
