// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: rm -f %t.json
// RUN: env BIGFOOT_OPTIONS="symbolize=0 suppress_equal_stacks=0 log_path=%t.log json_path=%t.json" \
// RUN:   %not %t
// RUN: grep -o '"overlap":{"address":"0x[0-9a-f]*"' %t.json | sort -u | wc -l | grep -x 4096

// An atomic store and a plain read of half a word at the same moment, again and again: whichever is
// second finds the first, in every schedule. (A read that had looked for atomics before one came,
// and recorded itself after that one had looked for reads, found nothing. Every read comes from a
// stack that was not seen before, which takes it longer.)
#include "script.h"
#include "spawn.h"

constexpr int kBits = 12;
constexpr int kWords = 1 << kBits;
struct alignas(64) Word {
  int half, other;
};
Word words[kWords];

void read_by(int i, int bit);
__attribute__((noinline)) void even(int i, int bit) {
  read_by(i, bit);
  keep(i);
}
__attribute__((noinline)) void odd(int i, int bit) {
  read_by(i, bit);
  keep(bit);
}
// One function for each bit of the number.
__attribute__((noinline)) void read_by(int i, int bit) {
  if (bit < kBits) {
    (i >> bit & 1 ? odd : even)(i, bit + 1);
  } else {
    script_post(1);
    script_wait_for(0, i + 1);
    keep(words[i].half);  // RACE: read 4
  }
  keep(bit);
}

int main() {
  run_threads(
      [] {
        for (int i = 0; i < kWords; ++i) {
          script_post(0);
          script_wait_for(1, i + 1);
          __atomic_store_n(&words[i].half, 1, __ATOMIC_RELAXED);  // RACE: atomic write 4
        }
      },
      [] {
        for (int i = 0; i < kWords; ++i) read_by(i, 0);
      });
}
