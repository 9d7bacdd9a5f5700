// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t
// TSAN: misses: a mapping that moves leaves its history behind

// A large mapping is filled by one thread. Others unmap its middle, map it again and move all of
// it: what happened to the rest is known at the new place.
#include <sys/mman.h>

#include "script.h"
#include "spawn.h"

constexpr int kSize = 1 << 16, kPart = 1 << 14;
constexpr size_t kBytes = kSize * sizeof(long), kPartBytes = kPart * sizeof(long);

void* map(void* at, size_t bytes, int protection) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED);
  void* p = mmap(at, bytes, protection, flags, -1, 0);
  require(p != MAP_FAILED);
  return p;
}

int main() {
  long* cells = static_cast<long*>(map(nullptr, kBytes, PROT_READ | PROT_WRITE));
  auto first = [=] {
    for (int i = 0; i < kSize; ++i) cells[i] = i;  // RACE: write
    script_post(0);
  };
  auto second = [=] {
    script_wait(0);
    require(munmap(cells + kPart, kPartBytes) == 0);
    map(cells + kPart, kPartBytes, PROT_READ | PROT_WRITE);
    long* to = static_cast<long*>(map(nullptr, kPartBytes, PROT_NONE));
    const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
    require(mremap(cells + 2 * kPart, kPartBytes, kPartBytes, flags, to) == to);
    script_post(1);
    cells[kPart] = 1;          // mapped anew
    cells[2 * kPart - 1] = 1;  // the same
    to[0] = 1;                 // RACE: write 8
  };
  run_threads(first, second);
  keep_object(cells);
}
