// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: wrong size: of what reaches into another word it has a part

// As cast_pointer_race, with pieces of words: an int that begins in the middle of one, and a short at an odd address. What
// the thread has done to the first of the pieces that it touches, or to what lies behind, says nothing about it.
#include "script.h"
#include "spawn.h"

struct alignas(64) Line {
  unsigned char bytes[64];
};
Line halves, quarters;

template <class T>
static volatile T& at(Line& line, int offset) {
  return *reinterpret_cast<volatile T*>(line.bytes + offset);
}

__attribute__((noinline)) static int get(const int* p) {
  return *p;  // RACE: half read 4
}
__attribute__((noinline)) static void set(short* p) {
  *p = 5;  // RACE: quarter write 2
}

int main() {
  auto first = [] {
    at<int>(halves, 12) = 1;  // RACE: half write 4
    at<short>(quarters, 14) = 1;  // RACE: quarter write 2
    script_post(0);
  };
  auto second = [] {
    script_wait(0);
    at<int>(halves, 16) = 2;
    keep(get(reinterpret_cast<const int*>(halves.bytes + 14)));
    keep(at<short>(quarters, 12));
    set(reinterpret_cast<short*>(quarters.bytes + 13));
  };
  run_threads(first, second);
  keep_object(&halves);
  keep_object(&quarters);
}
