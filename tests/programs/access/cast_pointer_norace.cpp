// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// As cast_pointer_race, but the other thread writes the word behind.
#include "script.h"
#include "spawn.h"

alignas(64) long words[8];

static volatile long& at(int i) {
  return words[i];
}

__attribute__((noinline)) static void set(long* p) {
  *p = 5;
}

int main() {
  auto first = [] {
    at(4) = 1;
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
