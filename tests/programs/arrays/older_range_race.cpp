// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %not %t 2>&1 | %filecheck %s
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %not %t 2>&1 | %filecheck %s

// An older access to a long range is reported with its first byte and its size, wherever the newer
// one met it. Races in arrays are found when their thread synchronises, so the blocks tell the
// cases apart.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"
#include "spawn.h"

extern "C" int __tsan_get_report_mop(void* report, unsigned long i, int* tid, void** address,
                                     int* size, int* write, int* atomic, void** trace,
                                     unsigned long trace_size);

constexpr int kCases = 5;
constexpr long kBytes = 4096;
char* blocks[kCases];
pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

#define UNCHECKED __attribute__((no_sanitize("thread")))

extern "C" UNCHECKED void __tsan_on_report(void* report) {
  for (int i = 0; i < 2; ++i) {
    int tid, size, write, atomic;
    void *address, *trace[1];
    __tsan_get_report_mop(report, i, &tid, &address, &size, &write, &atomic, trace, 1);
    for (int k = 0; k < kCases; ++k) {
      const long offset = static_cast<char*>(address) - blocks[k];
      if (offset >= 0 && offset < kBytes)
        fprintf(stderr, "block %d %s: %d bytes at %ld\n", k, i == 0 ? "current" : "previous", size,
                offset);
    }
  }
}

size_t thousand() {
  keep_object(blocks);  // the size is the library call's to know, not the compiler's
  return 1000;
}
__attribute__((noinline)) void write_words(char* block, long first, long last) {
  long* words = reinterpret_cast<long*>(block);
  for (long i = first; i < last; ++i) words[i] = i;
}

void first() {
  memset(blocks[0] + 100, 1, thousand());
  for (int i = 0; i < 3; ++i) memset(blocks[1] + 8 + i * 1000, 1, thousand());
  memset(blocks[2] + 96, 1, thousand());
  memset(blocks[3] + 100, 1, thousand());
  memset(blocks[4] + 100, 1, thousand());
  // Ends what is put off, and orders nothing: nobody else takes it.
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
}
void second() {
  blocks[0][500] = 2;
  blocks[1][1500] = 2;
  write_words(blocks[2], 0, kBytes / 8);
  memset(blocks[3] + 200, 2, thousand());
  write_words(blocks[4], 64, 65);
}

int main() {
  for (char*& block : blocks) block = static_cast<char*>(calloc(1, kBytes));
  run_threads([] { first(), script_post(0); }, [] { script_wait(0), second(); });
}

// CHECK-DAG: block 0 current: 1 bytes at 500
// CHECK-DAG: block 0 previous: 1000 bytes at 100
// CHECK-DAG: block 1 current: 1 bytes at 1500
// CHECK-DAG: block 1 previous: 1000 bytes at 1008
// CHECK-DAG: block 2 current: {{8|16|32}} bytes at 96
// CHECK-DAG: block 2 previous: 1000 bytes at 96
// CHECK-DAG: block 3 current: 1000 bytes at 200
// CHECK-DAG: block 3 previous: 1000 bytes at 100
// CHECK-DAG: block 4 current: 8 bytes at 512
// CHECK-DAG: block 4 previous: 1000 bytes at 100
