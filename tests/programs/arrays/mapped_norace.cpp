// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Parts of a large mapping are unmapped, mapped over and made anew by a thread that is ordered with
// nobody, and the whole of it, in the end: what happened there before is another story.
#include <sys/mman.h>

#include "script.h"
#include "spawn.h"

constexpr int kSize = 1 << 16, kPart = 1 << 14;
constexpr size_t kBytes = kSize * sizeof(long), kPartBytes = kPart * sizeof(long);

void* map(void* at, size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED);
  void* p = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  require(p != MAP_FAILED);
  return p;
}

__attribute__((noinline)) void fill(long* cells, int first, int last) {
  for (int i = first; i < last; ++i) cells[i] = i;
}

int main() {
  long* cells = static_cast<long*>(map(nullptr, kBytes));
  auto first = [=] {
    fill(cells, 0, kSize);
    script_post(0);
    script_wait(1);
    fill(cells, 0, kPart);  // its own, still
    fill(cells, 3 * kPart, kSize);
    script_post(2);
  };
  auto second = [=] {
    script_wait(0);
    require(munmap(cells + kPart, kPartBytes) == 0);
    map(cells + kPart, kPartBytes);
    map(cells + 2 * kPart, kPartBytes);
    fill(cells, kPart, 3 * kPart);
    script_post(1);
    script_wait(2);
    map(cells, kBytes);
    fill(cells, 0, kSize);
    require(munmap(cells, kBytes) == 0);
  };
  run_threads(first, second);
}
