// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Fields of four sizes in one word, each accessed in epochs of its own: the word is divided for
// them, and an int over three of the smaller ones finds them in several parts. All that one thread
// does to them is ordered before what the other does. (Functions that are `used` keep their
// parameters: otherwise the optimiser accesses the fields in their callers.)
#include <pthread.h>

#include "script.h"
#include "spawn.h"

struct alignas(64) Mixed {
  unsigned count;
  unsigned short kind;
  unsigned char flag, level;
};
Mixed objects[4];
pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, shared = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline, used)) static unsigned count_of(const Mixed* m) {
  return m->count;
}
__attribute__((noinline, used)) static unsigned kind_of(const Mixed* m) {
  return m->kind;
}
__attribute__((noinline, used)) static void set_level(Mixed* m, unsigned char level) {
  m->level = level;
}
__attribute__((noinline, used)) static unsigned tail_of(const Mixed* m) {
  unsigned tail;
  __builtin_memcpy(&tail, &m->kind, sizeof tail);
  return tail;
}
__attribute__((noinline, used)) static void set_count(Mixed* m, unsigned count) {
  m->count = count;
}
__attribute__((noinline, used)) static void set_kind(Mixed* m, unsigned short kind) {
  m->kind = kind;
}
__attribute__((noinline, used)) static void set_flag(Mixed* m, unsigned char flag) {
  m->flag = flag;
}
__attribute__((noinline, used)) static unsigned level_of(const Mixed* m) {
  return m->level;
}

// What a release ends is an epoch.
static void publish(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
}

int main() {
  auto uses = [] {
    for (int i = 0; i < 20; ++i) {
      Mixed* m = &objects[i % 4];
      set_count(m, count_of(m) + 1);
      publish(&own);
      set_kind(m, static_cast<unsigned short>(kind_of(m) + 1));
      publish(&own);
      set_level(m, static_cast<unsigned char>(level_of(m) + 1));
      publish(&own);
      set_flag(m, 1);
      publish(&own);
      keep(static_cast<int>(tail_of(m)));
      publish(&own);
    }
    keep(static_cast<int>(count_of(&objects[0]) + kind_of(&objects[1]) + tail_of(&objects[3])));
    set_level(&objects[2], 7);
    publish(&shared);
    script_post(0);
  };
  auto interferes = [] {
    script_wait(0);
    publish(&shared);
    set_kind(&objects[0], 1), set_flag(&objects[0], 1), keep(level_of(&objects[0]));
    set_count(&objects[0], 1);
    set_count(&objects[1], 1), set_flag(&objects[1], 1), keep(level_of(&objects[1]));
    set_kind(&objects[1], 1);
    set_count(&objects[2], 1), set_kind(&objects[2], 1), set_flag(&objects[2], 1);
    keep(level_of(&objects[2]));
    set_count(&objects[3], 1);
    set_flag(&objects[3], 1);
  };
  run_threads(uses, interferes);
  keep_object(objects);
}
