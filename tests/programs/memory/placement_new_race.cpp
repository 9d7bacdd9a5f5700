// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Placement new writes into memory that another thread still uses: it is no allocation.
#include <new>

#include "script.h"
#include "spawn.h"

struct Slot {
  int value;
  explicit Slot(int initial) : value(initial) {}  // RACE: write 4
};

alignas(Slot) unsigned char pool[sizeof(Slot)];
Slot* slot;

int main() {
  slot = new (pool) Slot(1);
  run_threads([] { keep(slot->value); },  // RACE: read 4
              [] { keep_object(new (pool) Slot(2)); });
}
