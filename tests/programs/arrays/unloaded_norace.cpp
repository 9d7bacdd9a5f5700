// RUN: %clangxx -fPIC -shared %S/Inputs/table.cpp -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t %t.so
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t %t.so
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t %t.so
// TSAN: false alarm: new mappings made by the loader keep the history of their addresses

// A thread fills the array of a library and is ordered with nobody when the library is closed. It
// is loaded again at the same address, where the array is another one.
#include <dlfcn.h>

#include <atomic>

#include "Inputs/table.h"
#include "script.h"
#include "spawn.h"

using Fill = decltype(&table_fill);

int main(int, char** arguments) {
  std::atomic<Fill> fill = nullptr;  // relaxed: orders nothing
  auto load = [&] {
    void* library = dlopen(arguments[1], RTLD_NOW);
    require(library != nullptr);
    fill.store(reinterpret_cast<Fill>(dlsym(library, "table_fill")), std::memory_order_relaxed);
    return library;
  };
  auto use = [&] { fill.load(std::memory_order_relaxed)(0, 4096); };
  auto first = [&] {
    void* library = load();
    const Fill before = fill.load(std::memory_order_relaxed);
    script_post(0);
    script_wait(1);
    dlclose(library);
    load();
    require(fill.load(std::memory_order_relaxed) == before);
    use();
  };
  auto second = [&] {
    script_wait(0);
    use();
    script_post(1);
  };
  run_threads(first, second);
}
