// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Data-race exceptions: the second access of a race is refused and leaves no trace, so that what
// follows is judged as if it had never been meant.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

alignas(8) int slots[2];
alignas(64) char unaligned[16];
int told;
const void* const kFirst = "first";
const void* const kSecond = "second";

int handler(const bf_lard_race* race, void* context) {
  require(context == &told);
  require(race->current.site == kSecond && race->previous.site == kFirst);
  require(race->current.address == &slots[0] && race->current.bytes == 4);
  require(race->current.writes == 1 && race->previous.writes == 1);
  require(race->current.thread == bf_lard_thread_current());
  require(race->previous.thread != race->current.thread);
  ++told;
  return BF_LARD_REPORT;
}

int main() {
  bf_lard_on_race(handler, &told, BF_LARD_TELL);
  run_threads(
      [] {
        require(bf_lard_try_write_at(&slots[0], 4, kFirst) == BF_LARD_OK);
        require(bf_lard_write_at(&unaligned[5], 6, kFirst) == BF_LARD_OK);
        script_post(0);
        script_wait(1);
        // Its own access is the last one there.
        require(bf_lard_try_read_at(&slots[0], 4, kFirst) == BF_LARD_OK);
        require(bf_lard_try_write_at(unaligned, 16, kFirst) == BF_LARD_OK);
      },
      [] {
        script_wait(0);
        require(bf_lard_try_write_at(&slots[0], 4, kSecond) == BF_LARD_RACE);
        require(told == 1);
        bf_lard_on_race(nullptr, nullptr, BF_LARD_TELL);
        require(bf_lard_try_write_at(slots, 8, kSecond) == BF_LARD_RACE);
        require(bf_lard_try_read_at(&slots[0], 4, kSecond) == BF_LARD_RACE);
        require(bf_lard_try_write_at(&unaligned[4], 4, kSecond) == BF_LARD_RACE);
        script_post(1);
      });
}
