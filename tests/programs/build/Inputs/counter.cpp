#include "counter.h"

static int count;

void counter_add(int amount) {
  count += amount;  // RACE: read 4, write 4
}

int counter_get() {
  return count;
}
