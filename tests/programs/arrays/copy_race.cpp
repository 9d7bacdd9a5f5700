// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// An array is copied as a whole while another thread writes one element of it.
#include <string.h>

#include "script.h"
#include "spawn.h"

constexpr int kSize = 1000;

int main() {
  long *from = new long[kSize](), *to = new long[kSize]();
  run_threads(
      [=] {
        memcpy(to, from, kSize * sizeof(long));  // RACE: read
        keep_object(to);
      },
      [=] { from[777] = 1; });  // RACE: write 8
  delete[] from;
  delete[] to;
}
