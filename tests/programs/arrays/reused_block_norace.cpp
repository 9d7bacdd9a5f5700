// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Blocks that are arrays, then in their place small ones that are none, then arrays again, by threads
// that nothing orders but the allocator. What is known of an array that was there before says nothing
// of the blocks in between.
#include <stdlib.h>

#include "script.h"
#include "spawn.h"

static void use_blocks(int count, size_t bytes) {
  char** blocks = static_cast<char**>(malloc(static_cast<size_t>(count) * sizeof(char*)));
  for (int i = 0; i < count; ++i) {
    blocks[i] = static_cast<char*>(malloc(bytes));
    // One by one: a range that is checked as a whole does not look where small blocks are known.
    for (size_t j = 0; j < bytes; j += 8) static_cast<volatile char*>(blocks[i])[j] = 1;
  }
  for (int i = 0; i < count; ++i) free(blocks[i]);
  free(blocks);
}

int main() {
  auto arrays = [] {
    use_blocks(60, 60000);
    script_post(0);
    script_wait(1);
    use_blocks(60, 60000);
  };
  auto others = [] {
    script_wait(0);
    use_blocks(8000, 304);
    script_post(1);
  };
  run_threads(arrays, others);
}
