// RUN: %clangxx -fPIC -shared %S/Inputs/counter.cpp -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t %t.so
// TSAN: false alarm: new mappings made by the loader keep the history of their addresses

// A library is opened, used, closed and opened again in threads ordered with nobody: its data come
// at an address that has been used before.
#include <dlfcn.h>

#include "script.h"
#include "spawn.h"

int main(int, char** arguments) {
  auto use = [=] {
    void* library = dlopen(arguments[1], RTLD_NOW);
    require(library != nullptr);
    auto* add = reinterpret_cast<void (*)(int)>(dlsym(library, "counter_add"));
    auto* get = reinterpret_cast<int (*)()>(dlsym(library, "counter_get"));
    add(1);
    require(get() == 1);
    dlclose(library);
  };
  run_threads(
      [=] {
        use();
        script_post(0);
      },
      [=] {
        script_wait(0);
        use();
      });
}
