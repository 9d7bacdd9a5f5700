// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Globals are constructed before main and destroyed after it by the main thread: joined threads are
// ordered.
#include <cstdlib>

#include "script.h"
#include "spawn.h"

struct Log {
  int entries = 0;
  Log() { entries = 1; }
  ~Log() { keep(entries); }
} log_book;

int main() {
  atexit([] { log_book.entries = 0; });
  run_threads([] { ++log_book.entries; });
  require(log_book.entries == 2);
}
