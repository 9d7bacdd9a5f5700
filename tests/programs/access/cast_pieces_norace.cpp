// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// As cast_pieces_race, but the other thread writes what lies beside.
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
  return *p;
}
__attribute__((noinline)) static void set(short* p) {
  *p = 5;
}

int main() {
  auto first = [] {
    at<int>(halves, 8) = 1;
    at<short>(quarters, 16) = 1;
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
