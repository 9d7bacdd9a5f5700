// RUN: %clangxx --detector=bigfoot -O2 -g -Rpass=bigfoot -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s --check-prefix REMARK
// RUN: FileCheck %s --input-file %t.ll
// A pointer that each round of a loop reads again does not keep the accesses through it from becoming one range, if
// nothing in the loop can change it or order threads and it is read whatever way the first round goes. Then it is read
// once, ahead of the loop, by a read that is no access of the program.
#include <math.h>

struct Columns {
  double* a;
  double** others;
};
void other_module(void) __attribute__((nothrow));

// The read of c.a stands in both branches, so no loop pass has moved it.
// CHECK-LABEL: @_Z6steady
// CHECK: load ptr, ptr %0,{{.*}}!nosanitize
// REMARK: steady_reads.cpp:[[#@LINE+6]]:14: remark: write of 8 bytes: one check for 2 accesses of a loop
void steady(const Columns& c, unsigned long from, unsigned long to) {
  for (unsigned long i = from; i < to; ++i) {
    if (i == 0)
      c.a[0] = 1;
    else
      c.a[i] = sin(double(i));
  }
}

// CHECK-LABEL: @_Z9uncertain
// CHECK-NOT: load ptr, {{.*}}!nosanitize
// A way through the body without the read: no compiler may read it before the loop.
void uncertain(const Columns& c, unsigned long n, const long* kind, double* more) {
  for (unsigned long i = 0; i < n; ++i) {
    if (kind[i] == 0) c.a[i] = sin(double(i));
    more[i] = 1;
  }
}

// CHECK-LABEL: @_Z7written
// CHECK-NOT: load ptr, {{.*}}!nosanitize
// A write in the loop may be to c.a itself.
void written(Columns& c, unsigned long from, unsigned long to, double** pointers) {
  for (unsigned long i = from; i < to; ++i) {
    if (i == 0)
      c.a[0] = 1;
    else
      c.a[i] = sin(double(i));
    pointers[i] = nullptr;
  }
}

// CHECK-LABEL: @_Z13synchronising
// CHECK-NOT: load ptr, {{.*}}!nosanitize
// CHECK-LABEL: @tsan.module_ctor
// What the loop calls may synchronise.
void synchronising(const Columns& c, unsigned long from, unsigned long to) {
  for (unsigned long i = from; i < to; ++i) {
    if (i == 0)
      c.a[0] = 1;
    else
      c.a[i] = sin(double(i));
    other_module();
  }
}
