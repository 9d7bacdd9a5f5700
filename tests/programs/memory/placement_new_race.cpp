// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// XFAIL: O3
// At -O3 the read is specialised away from its line before the plugin sees it; the race is reported, at the
// wrong position.

// Placement new writes into memory that another thread still uses: it is no allocation.
#include <new>

#include "script.h"
#include "spawn.h"

struct Slot {
  int value;
  explicit Slot(int initial) : value(initial) {}  // RACE: write 4
};

alignas(Slot) unsigned char pool[sizeof(Slot)];

int main() {
  auto* slot = new (pool) Slot(1);
  run_threads([=] { keep(slot->value); },  // RACE: read 4
              [] { keep_object(new (pool) Slot(2)); });
}
