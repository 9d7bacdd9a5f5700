// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %not %t 2>&1 | %filecheck %s

// A report gives the first byte and the size of both accesses as the program made them: where they
// straddle words, are wider than one, or meet in some bytes only. Each is told at once, while its case is the current one, so
// the array is not compressed.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <atomic>

#include "script.h"
#include "spawn.h"

extern "C" int __tsan_get_report_mop(void* report, unsigned long i, int* tid, void** address,
                                     int* size, int* write, int* atomic, void** trace,
                                     unsigned long trace_size);

template <class T>
struct __attribute__((packed)) Unaligned {
  T value;
};
template <class T>
void store(char* where, T value) {
  reinterpret_cast<Unaligned<T>*>(where)->value = value;
}
typedef long Vector __attribute__((vector_size(16), aligned(8)));
void store_vector(char* where, long value) {
  *reinterpret_cast<Vector*>(where) = Vector{value, value};
}

constexpr int kCases = 9;
alignas(4096) char memory[kCases][1024];
int now;

#define UNCHECKED __attribute__((no_sanitize("thread")))

extern "C" UNCHECKED void __tsan_on_report(void* report) {
  for (int i = 0; i < 2; ++i) {
    int tid, size, write, atomic;
    void *address, *trace[1];
    __tsan_get_report_mop(report, i, &tid, &address, &size, &write, &atomic, trace, 1);
    fprintf(stderr, "case %d %s: %d bytes at %ld\n", now, i == 0 ? "current" : "previous", size,
            static_cast<char*>(address) - memory[now]);
  }
}
UNCHECKED void next(int i) {
  now = i;
}

std::atomic<int64_t>& flag(int i) {
  return *reinterpret_cast<std::atomic<int64_t>*>(memory[i] + 40);
}

size_t hundred() {
  keep_object(memory);  // the size is the library call's to know, not the compiler's
  return 100;
}

void first() {
  store<int32_t>(memory[0] + 6, 1);
  store<int64_t>(memory[1] + 5, 1);
  store_vector(memory[2] + 24, 1);
  store<int32_t>(memory[3] + 16, 1);
  memset(memory[4] + 3, 1, hundred());
  memset(memory[5] + 8, 1, hundred());
  memset(memory[5] + 108, 1, hundred());
  flag(6).store(1, std::memory_order_relaxed);
  memset(memory[7] + 100, 1, hundred());
  store_vector(memory[8] + 8, 1);
}

void second() {
  next(0), memory[0][9] = 2;
  script_post(1);
  next(1), memory[1][12] = 2;
  script_post(1);
  next(2), memory[2][33] = 2;
  script_post(1);
  next(3), memset(memory[3] + 1, 2, hundred());
  script_post(1);
  next(4), memory[4][102] = 2;
  script_post(1);
  next(5), memory[5][150] = 2;
  script_post(1);
  next(6), store_vector(memory[6] + 32, 2);
  script_post(1);
  next(7), memset(memory[7] + 50, 2, hundred());
  script_post(1);
  next(8), store_vector(memory[8] + 16, 2);
}

int main() {
  run_threads([] { first(), script_post(0); }, [] { script_wait(0), second(); });
}

// CHECK: case 0 current: 1 bytes at 9
// CHECK: case 0 previous: 4 bytes at 6
// CHECK: case 1 current: 1 bytes at 12
// CHECK: case 1 previous: 8 bytes at 5
// CHECK: case 2 current: 1 bytes at 33
// CHECK: case 2 previous: 16 bytes at 24
// CHECK: case 3 current: 100 bytes at 1
// CHECK: case 3 previous: 4 bytes at 16
// CHECK: case 4 current: 1 bytes at 102
// CHECK: case 4 previous: 100 bytes at 3
// CHECK: case 5 current: 1 bytes at 150
// CHECK: case 5 previous: 100 bytes at 108
// CHECK: case 6 current: 16 bytes at 32
// CHECK: case 6 previous: 8 bytes at 40
// CHECK: case 7 current: 100 bytes at 50
// CHECK: case 7 previous: 100 bytes at 100
// CHECK: case 8 current: 16 bytes at 16
// CHECK: case 8 previous: 16 bytes at 8
