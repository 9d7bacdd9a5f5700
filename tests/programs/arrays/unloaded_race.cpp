// RUN: %clangxx -fPIC -shared %S/Inputs/table.cpp -o %t.so
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy --source %S/Inputs/table.cpp %t %t.so
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy --source %S/Inputs/table.cpp %t %t.so
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy --source %S/Inputs/table.cpp %t %t.so

// The array of a library that is loaded while threads run, and stays: both fill it.
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
    load();
    script_post(0);
    script_wait(1);
    use();
  };
  auto second = [&] {
    script_wait(0);
    use();
    script_post(1);
  };
  run_threads(first, second);
}
