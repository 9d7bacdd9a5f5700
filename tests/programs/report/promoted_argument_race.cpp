// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// XFAIL: O3

// A read that the optimiser does in the caller, for the callee. Found at every level; but at -O3 it
// is reported at the place of the call. LLVM's argument promotion turns the pointer that a function
// only reads through into the value, and the load it makes in the caller has the call's position:
// that of the read is in no instruction any more when the plugin, which comes after it, looks. To
// mark accesses before would not help: the new load keeps none of the old one's metadata that we
// could set.
#include "script.h"
#include "spawn.h"

int data;
int* where = &data;

__attribute__((noinline)) static void use(const int* value) {
  keep(*value);  // RACE: read 4
}

int main() {
  run_threads([] { use(where); },
              [] {
                data = 1;  // RACE: write 4
                keep_object(&data);
              });
}
