// RUN: %clang -c %S/Inputs/c_part.c -o %t.o
// RUN: %clangxx %s %t.o %support -o %t
// RUN: %run_racy --source %S/Inputs/c_part.c %t

// One access is in a C file, the other in a C++ file.
#include "script.h"
#include "spawn.h"

extern "C" int c_value;
extern "C" void c_write(void);

int main() {
  run_threads([] { c_write(); }, [] { keep(c_value); });  // RACE: read 4
}
