// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Objects made by every form of operator new in one thread, released in others after a join.
#include <cstdint>
#include <new>

#include "script.h"
#include "spawn.h"

struct alignas(128) Wide {
  int values[32];
};

struct Objects {
  int *plain, *array, *quiet;
  Wide *wide, *wides;
  void* raw;
};

int main() {
  for (int round = 0; round < 10; ++round) {
    Objects made;
    run_threads([&] {
      made = {new int(1), new int[10](), new (std::nothrow) int(1),
              new Wide(), new Wide[2](), operator new (24, std::align_val_t{64})};
    });
    require(reinterpret_cast<uintptr_t>(made.wide) % 128 == 0);
    run_threads([=] { delete made.plain; }, [=] { delete[] made.array; },
                [=] { delete made.quiet; }, [=] { delete made.wide; }, [=] { delete[] made.wides; },
                [=] { operator delete (made.raw, 24, std::align_val_t{64}); });
  }
}
