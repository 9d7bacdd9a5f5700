// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A sweep over an array whose middle is not looked at: the annotation stands inside the loop, so
// that it is one sweep at one place. The other thread writes to an element
// behind the middle, which is looked at again.
#include "script.h"
#include "spawn.h"

extern "C" {
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}

constexpr int kSize = 4096, kMiddle = 1024, kMiddleEnd = 3072;

__attribute__((noinline)) void fill(long* cells) {
  for (int i = 0; i < kSize; ++i) {
    if (i == kMiddle) AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    if (i == kMiddleEnd) AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    cells[i] = i;  // RACE: write
  }
}
__attribute__((noinline)) void change(long* cells, int first, int last) {
  for (int i = first; i < last; ++i) cells[i] = -i;  // RACE: write
}

int main() {
  long* cells = new long[kSize]();
  run_threads([=] { fill(cells); }, [=] { change(cells, kMiddle, kMiddleEnd + 1); });
  keep_object(cells);
  delete[] cells;
}
