// A library that is opened while the program runs: what it does with a type is not known before.
#pragma once

#include <dlfcn.h>

#include "spawn.h"

class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW)) {
    require(handle_ != nullptr);
  }
  template <class Function>
  Function* get(const char* name) const {
    void* found = dlsym(handle_, name);
    require(found != nullptr);
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* handle_;
};
