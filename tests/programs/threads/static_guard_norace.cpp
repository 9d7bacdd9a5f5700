// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// The guard of a function-local static orders its construction before every later use.
#include "script.h"
#include "spawn.h"

struct Table {
  int squares[10];
  Table() {
    for (int i = 0; i < 10; ++i) squares[i] = i * i;
  }
};

const Table& table() {
  static const Table instance;
  return instance;
}

int main() {
  auto user = [] { require(table().squares[9] == 81); };
  run_threads(user, user, user, user);
}
