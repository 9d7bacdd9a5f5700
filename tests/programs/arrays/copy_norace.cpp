// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// An array is copied, grown and cleared while another thread works on the other half.
#include <stdlib.h>
#include <string.h>

#include "script.h"
#include "spawn.h"

constexpr size_t kSize = 1000, kHalf = kSize / 2 * sizeof(long);

int main() {
  auto* from = static_cast<char*>(calloc(kSize, sizeof(long)));
  auto* to = static_cast<char*>(malloc(kSize * sizeof(long)));
  run_threads([=] { memcpy(to, from, kHalf); }, [=] { memcpy(to + kHalf, from + kHalf, kHalf); },
              [=] { keep(from[7]); });
  run_threads([=] { memset(to, 0, kHalf + 4); }, [=] { memset(to + kHalf + 4, 1, kHalf - 4); });
  char* grown = static_cast<char*>(realloc(to, 4 * kSize * sizeof(long)));
  run_threads([=] { memmove(grown + 3 * kHalf, grown, kHalf); }, [=] { grown[kHalf] = 1; });
  free(grown);
  free(from);
}
