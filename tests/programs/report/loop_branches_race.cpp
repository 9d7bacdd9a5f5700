// REQUIRES: bigfoot
// RUN: %clangxx -O2 --detector=bigfoot %s %support -o %t
// RUN: %not %t first 2>&1 | %filecheck %s
// RUN: %not %t second 2>&1 | %filecheck %s
// RUN: %clangxx -O2 --detector=fasttrack %s %support -o %t.each
// RUN: %not %t.each first 2>&1 | %filecheck --check-prefix=EACH %s

// Which branch a round takes is not recorded, and one check behind the loop stands for all rounds:
// the report names both accesses and says that it was one of them. What all rounds do is exact, and
// so is what each round checks by itself because the loop synchronises.
#include <atomic>
#include <cstring>

#include "script.h"
#include "spawn.h"

constexpr int kCount = 100;

alignas(64) long either[kCount], all[kCount], each[kCount];
alignas(64) bool choice[kCount];
std::atomic<long> rounds;

struct Scratch {
  long a, b;
};
__attribute__((noinline)) void one_way(Scratch* r) {
  r->a += r->b;
}
__attribute__((noinline)) void another_way(Scratch* r) {
  r->b -= r->a;
}

__attribute__((noinline)) void choose_each_round(Scratch* r, long* to, int n) {
  for (int i = 0; i < n; ++i) {
    if (choice[i]) {
      to[i] = 3 * i;  // either
      one_way(r);
    } else {
      to[i] = i + 7;  // or
      another_way(r);
    }
  }
}

__attribute__((noinline)) void write_in_all_rounds(Scratch* r, long* to, int n) {
  for (int i = 0; i < n; ++i) {
    to[i] = i;  // all
    if (choice[i]) {
      to[i] = 3 * i;
      one_way(r);
    } else {
      another_way(r);
    }
  }
}

__attribute__((noinline)) void synchronise_each_round(Scratch* r, long* to, int n) {
  for (int i = 0; i < n; ++i) {
    if (choice[i]) {
      to[i] = 3 * i;
      one_way(r);
    } else {
      to[i] = i + 7;  // each
      another_way(r);
    }
    rounds.fetch_add(1, std::memory_order_acq_rel);
  }
}

void disturb() {
  either[70] = 1;
  all[70] = 1;
  each[70] = 1;
}

int main(int argc, char** argv) {
  const bool forms_first = argc > 1 && strcmp(argv[1], "first") == 0;
  run_threads(
      [&] {
        if (!forms_first) script_wait(0);
        Scratch r{};
        keep_object(&r);
        choose_each_round(&r, either, kCount);
        write_in_all_rounds(&r, all, kCount);
        synchronise_each_round(&r, each, kCount);
        if (forms_first) script_post(0);
      },
      [&] {
        if (forms_first) script_wait(0);
        disturb();
        if (!forms_first) script_post(0);
      });
}

// CHECK-COUNT-3: WARNING: BigFoot: data race
// CHECK-NOT: WARNING
// RUN: %not %t first 2>&1 | %filecheck --check-prefix=EITHER %s
// RUN: %not %t second 2>&1 | %filecheck --check-prefix=EITHER %s
// EITHER: {{[Ww]}}rite of size 8
// EITHER: #0 choose_each_round{{.*}}loop_branches_race.cpp:39:13
// EITHER-NOT: {{^$}}
// EITHER: or at {{.*}}loop_branches_race.cpp:36:13: one check stands for both
// EITHER-NOT: or at
// EITHER: #0 write_in_all_rounds{{.*}}loop_branches_race.cpp:47:11
// EITHER-NOT: or at
// EITHER: #0 synchronise_each_round{{.*}}loop_branches_race.cpp:63:13
// EITHER-NOT: or at

// EACH-NOT: or at
// EACH: #0 choose_each_round{{.*}}loop_branches_race.cpp:39:13
// EACH-NOT: or at
