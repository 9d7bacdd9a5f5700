// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A lock of one's own, made from what the tool does not see, with the mutex annotations around it.
#include "script.h"
#include "spawn.h"

extern "C" {
void __tsan_mutex_create(void* address, unsigned flags);
void __tsan_mutex_destroy(void* address, unsigned flags);
void __tsan_mutex_pre_lock(void* address, unsigned flags);
void __tsan_mutex_post_lock(void* address, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* address, unsigned flags);
void __tsan_mutex_post_unlock(void* address, unsigned flags);
}

long lock_word;
int counter;

// Takes turns instead of locking: thread `me` goes when the script says so.
void locked_increment(int me) {
  __tsan_mutex_pre_lock(&lock_word, 0);
  script_wait_for(0, me);
  __tsan_mutex_post_lock(&lock_word, 0, 0);
  ++counter;
  __tsan_mutex_pre_unlock(&lock_word, 0);
  script_post(0);
  __tsan_mutex_post_unlock(&lock_word, 0);
}

int main() {
  __tsan_mutex_create(&lock_word, 0);
  run_threads([] { locked_increment(0); }, [] { locked_increment(1); },
              [] { locked_increment(2); });
  __tsan_mutex_destroy(&lock_word, 0);
  require(counter == 3);
}
