// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A word whose bytes come from several places of the program, all in one epoch, has one stamp and an
// origin for each byte. Whoever races with one of them is told of that one: two writers, then a reader
// of another byte, then the reader's byte is written.
#include "script.h"
#include "spawn.h"

char text[64] __attribute__((aligned(64)));

__attribute__((noinline, used)) static void put(char* p, char c) {
  *p = c;  // RACE: one write 1
}
__attribute__((noinline, used)) static void put_again(char* p, char c) {
  *p = c;  // RACE: other write 1
}
__attribute__((noinline, used)) static char get(const char* p) {
  return *p;  // RACE: third read 1
}

int main() {
  auto first = [] {
    put(text, 'a');
    put_again(text + 1, 'b');
    put_again(text + 2, 'c');
    keep(get(text + 5));
    script_post(0);
  };
  auto second = [] {
    script_wait(0);
    text[0] = 'x';  // RACE: one write 1
    text[2] = 'y';  // RACE: other write 1
    text[3] = 'z';
    text[5] = 'w';  // RACE: third write 1
  };
  run_threads(first, second);
  keep_object(text);
}
