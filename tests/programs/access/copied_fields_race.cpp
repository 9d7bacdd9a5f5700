// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Structures that are copied as a whole and read field by field: the word keeps one write and one
// read, and the bytes that each of them speaks for. The read of one field races with a later write to
// it; a write to its neighbour, in the same word, does not. (Functions that are `used` keep their
// parameters: otherwise the optimiser reads the fields in their callers.)
#include <pthread.h>

#include "script.h"
#include "spawn.h"

struct Packet {
  int from, to;
  short kind, hops, left, right;
  char name[8];
};
Packet slots[8];
Packet models[8];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline, used)) static void copy(Packet* to, const Packet* from) {
  *to = *from;
}
__attribute__((noinline, used)) static int destination(const Packet* p) {
  return p->to;  // RACE: half read 4
}
__attribute__((noinline, used)) static short hops(const Packet* p) {
  return p->hops;  // RACE: quarter read 2
}
__attribute__((noinline, used)) static char letter(const Packet* p) {
  return p->name[3];  // RACE: letter read 1
}
static void learn_of_the_copies() {
  script_wait(0);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

int main() {
  auto copies = [] {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 8; ++i) copy(&slots[i], &models[i]);
    pthread_mutex_unlock(&mutex);
    script_post(0);
  };
  auto reads = [] {
    learn_of_the_copies();
    for (int i = 0; i < 8; ++i) keep(destination(&slots[i]) + hops(&slots[i]) + letter(&slots[i]));
    script_post(1);
  };
  auto writes = [] {
    learn_of_the_copies();
    script_wait(1);
    slots[2].from = 1;
    slots[2].to = 2;  // RACE: half write 4
    slots[3].kind = 1;
    slots[3].left = 1;
    slots[3].hops = 2;  // RACE: quarter write 2
    slots[4].name[2] = 'x';
    slots[4].name[3] = 'y';  // RACE: letter write 1
    slots[4].name[4] = 'z';
  };
  run_threads(copies, reads, writes);
  keep_object(slots);
}
