// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A thread reads a local of another one, which ends; the next thread gets its stack, and the reader
// looks at a local there, still in the same epoch. Its owner waits for
// that before it writes.
#include <pthread.h>

#include <atomic>

#include "script.h"

std::atomic<int*> local;
std::atomic<bool> has_read;

void* first(void*) {
  int mine = 1;
  keep_object(&mine);
  local.store(&mine, std::memory_order_release);
  script_post(0);
  script_wait(1);
  return nullptr;
}

void* second(void*) {
  int mine = 1;
  keep_object(&mine);
  local.store(&mine, std::memory_order_release);
  script_post(2);
  script_wait(3);
  keep(has_read.load(std::memory_order_acquire));
  mine = 2;
  keep_object(&mine);
  return nullptr;
}

[[gnu::noinline]] int look(const int* at) {
  return *at;
}

void* reader(void*) {
  script_wait(0);
  for (int i = 0; i < 2; ++i) keep(look(local.load(std::memory_order_acquire)));
  script_post(1);
  script_wait(2);
  keep(look(local.load(std::memory_order_acquire)));
  has_read.store(true, std::memory_order_release);
  script_post(3);
  return nullptr;
}

int main() {
  pthread_t reads, owns;
  pthread_create(&reads, nullptr, reader, nullptr);
  for (auto* body : {first, second}) {
    pthread_create(&owns, nullptr, body, nullptr);
    pthread_join(owns, nullptr);
  }
  pthread_join(reads, nullptr);
}
