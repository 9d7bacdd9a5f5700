// RUN: %clangxx --verify-placement -O2 -g -c %s -o %t.o 2>&1 | FileCheck --check-prefix=GOOD %s
// RUN: %clangxx --verify-placement --detector=redcard -O2 -g -c %s -o %t.o 2>&1 | FileCheck --check-prefix=GOOD %s
// RUN: not %clangxx --verify-placement -mllvm -bigfoot-omit-check=1 -O2 -g -c %s -o %t.o 2>&1 | FileCheck --check-prefix=BAD %s
// What a build with --verify-placement prints, also when a check is left out on purpose.

// GOOD-NOT: error
// GOOD: bigfoot: {{.*}}verify_placement.cpp: checks of 2 of 2 functions accepted ({{[2-9]}} checks)

void unknown();

// BAD: error: bigfoot: checks of 'fill(long*, long)' not accepted: CC-STMT fails at {{.*}}verify_placement.cpp:[[#@LINE+3]]:1: {{.*}} (the access at {{.*}}verify_placement.cpp:[[#@LINE+2]]:37)
void fill(long* a, long n) {
  for (long i = 0; i < n; ++i) a[i] = i;
}

// BAD: error: bigfoot: checks of 'once(long*)' not accepted: CC-CALL fails at {{.*}}verify_placement.cpp:[[#@LINE+3]]:3: {{.*}} (the access at {{.*}}verify_placement.cpp:[[#@LINE+2]]:6)
void once(long* a) {
  *a = 1;
  unknown();
}
// BAD: bigfoot: {{.*}}: checks of 0 of 2 functions accepted
