// REQUIRES: bigfoot
// RUN: clang++-22 -std=c++20 -O1 %s -I%include -o %t && %t
// RUN: clang-22 -std=c99 -Wall -Wextra -Werror -pedantic -fsyntax-only -x c %include/bigfoot/lard.h

// Without the detector every call is a weak symbol that is not there.
#include <bigfoot/lard.h>

#include <initializer_list>

int main() {
  int x = 0;
  uint64_t clock[1];
  bigfoot::lard::Untracked region;
  bool absent = bf_lard_version() == 0 && bf_lard_thread_current() == 0 &&
                bf_lard_thread_create(0) == 0 && bf_lard_clock_read(clock, 1) == 0;
  for (int result : {bf_lard_read(&x, 4), bf_lard_try_write_at(&x, 4, &x), bf_lard_acquire(&x),
                     bf_lard_release(&x), bf_lard_clear(&x, 4), bf_lard_copy(&x, &x, 4),
                     bf_lard_move_all(nullptr, 0), bf_lard_thread_switch(1, 0),
                     bf_lard_tracked_end(BF_LARD_ALL), bf_lard_on_race(nullptr, nullptr, 0)})
    absent = absent && result == BF_LARD_ABSENT;
  return absent ? 0 : 1;
}
