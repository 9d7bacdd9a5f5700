// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: it looks at the first of the two words

// A pointer that is not aligned as its type says: the write touches two words. That the thread has read the first of them says
// nothing about it.
#include "script.h"
#include "spawn.h"

alignas(64) long words[8];

static volatile long& at(int i) {
  return words[i];
}

__attribute__((noinline)) static void set(long* p) {
  *p = 5;  // RACE: write 8
}

int main() {
  auto first = [] {
    at(3) = 1;  // RACE: write 8
    script_post(0);
  };
  auto second = [] {
    script_wait(0);
    keep(at(2));
    set(reinterpret_cast<long*>(reinterpret_cast<char*>(words) + 20));
  };
  run_threads(first, second);
  keep_object(words);
}
