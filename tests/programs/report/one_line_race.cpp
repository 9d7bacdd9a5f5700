// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// Two members of one object are raced for on the same two lines: two bugs, two reports. (No twin: this is about
// what counts as the same race.)
#include "script.h"
#include "spawn.h"

struct Account {
  long balance;
  long before[8];  // other cache line: nothing merges the two accesses
  long limit;
};

alignas(64) Account account;

int main() {
  run_threads(
      [] {
        // clang-format off
        account.balance = 1; account.limit = 1;  // RACE: write 8
        // clang-format on
        script_post(0);
      },
      [] {
        script_wait(0);
        // clang-format off
        keep(account.balance); keep(account.limit);  // RACE: read 8
        // clang-format on
      });
}

// CHECK-COUNT-2: WARNING: {{BigFoot|ThreadSanitizer}}: data race
// CHECK-NOT: WARNING
