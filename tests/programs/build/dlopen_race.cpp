// RUN: %clangxx -fPIC -shared %S/Inputs/counter.cpp -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy --source %S/Inputs/counter.cpp %t %t.so

// The library is opened at run time: its globals come into being then, and are named in reports.
#include <dlfcn.h>

#include "script.h"
#include "spawn.h"

int main(int, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW);
  require(library != nullptr);
  auto* add = reinterpret_cast<void (*)(int)>(dlsym(library, "counter_add"));
  run_threads([=] { add(1); }, [=] { add(2); });
}
