#include "table.h"

static long table[4096];

void table_fill(int first, int last) {
  for (int i = first; i < last; ++i) table[i] += i;  // RACE: read, write
}
