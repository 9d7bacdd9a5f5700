// RUN: %clangxx --detector=bigfoot -O2 -g -Rpass=bigfoot -Rpass-missed=bigfoot -c %s -o %t.o 2>&1 | FileCheck %s
// A loop that may be endless for all the analysis knows lets checks wait for its end if it touches nothing shared:
// it waits for nobody. One that reads what others can write does not.

long next(long x) __attribute__((const, nothrow));

// CHECK: private_loop.cpp:[[#@LINE+5]]:10: remark: write of 8 bytes: one check for a whole loop
void private_loop(long* a, long n) {
  for (long i = 0; i < n; ++i) {
    long x = i;
    do x = next(x); while (x % 7 != 3);
    a[i] = x;
  }
}

// CHECK: private_loop.cpp:[[#@LINE+3]]:10: remark: write of 8 bytes: checked here because a loop that may not end
void shared_loop(long* a, long n, const long* flag) {
  for (long i = 0; i < n; ++i) {
    a[i] = 1;
    while (*flag != i) ++a[n];
  }
}
