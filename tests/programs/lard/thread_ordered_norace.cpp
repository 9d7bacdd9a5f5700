// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A generator: control passes to and fro by the program's own wish, so the switch orders, even
// where the system's synchronisation is untracked.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

int shared;

int main() {
  bf_lard_thread home = bf_lard_thread_current(), generator = bf_lard_thread_create(0);
  bf_lard_thread_name(generator, "generator");
  for (int i = 0; i < 3; ++i) {
    bf_lard_untracked_begin(BF_LARD_SYNC);
    require(bf_lard_thread_switch(generator, BF_LARD_ORDERED | BF_LARD_SAME_STACK) == BF_LARD_OK);
    ++shared;
    keep_object(&shared);
    require(bf_lard_thread_switch(home, BF_LARD_ORDERED | BF_LARD_SAME_STACK) == BF_LARD_OK);
    bf_lard_untracked_end(BF_LARD_SYNC);
    ++shared;
  }
  require(bf_lard_thread_destroy(generator) == BF_LARD_OK);
  require(shared == 6);
}
