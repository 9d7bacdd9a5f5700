// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A collector clears the history of memory that a thread has used in its present epoch. What the
// thread does with the next object there is cleared as well.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

struct Object {
  char byte;
  int word;
};
Object arena[1];

[[gnu::noinline]] void use(Object* o, char value) {
  o->byte = value;
  o->word = value;
  keep_object(o);
}

int main() {
  run_threads(
      [] {
        use(&arena[0], 1);
        use(&arena[0], 2);
        script_post(0);
        script_wait(1);
        arena[0].byte = 3;
        arena[0].word = 3;
        script_post(2);
      },
      [] {
        script_wait(0);
        bf_lard_clear(&arena[0], sizeof arena[0]);
        script_post(1);
        script_wait(2);
        bf_lard_clear(&arena[0], sizeof arena[0]);
        arena[0].byte = 4;
        arena[0].word = 4;
      });
}
