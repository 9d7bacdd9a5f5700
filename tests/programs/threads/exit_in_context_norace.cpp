// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A thread may end inside of a context: whoever joins it comes after what the context did.
#include <pthread.h>
#include <ucontext.h>

#include "script.h"
#include "spawn.h"

namespace {
ucontext_t home, other;
char stack[64 << 10];
int shared;

void body() {
  ++shared;
  pthread_exit(nullptr);
}
void* run(void*) {
  getcontext(&other);
  other.uc_stack.ss_sp = stack;
  other.uc_stack.ss_size = sizeof stack;
  other.uc_link = &home;
  makecontext(&other, body, 0);
  swapcontext(&home, &other);
  return nullptr;
}
}  // namespace

int main() {
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    require(pthread_create(&thread, nullptr, run, nullptr) == 0);
    require(pthread_join(thread, nullptr) == 0);
    ++shared;
  }
  require(shared == 6);
}
