// RUN: %clang --detector=bigfoot -O2 -g -S -emit-llvm %s -o - | FileCheck %s
// An element beside the range of a loop, accessed by another line ahead of it: a report has to tell the two apart, and
// the loop still ends as one check behind it.

// CHECK-LABEL: @before(
// CHECK-NOT: @__bf_{{write|check}}
// CHECK: store <{{.*}} x i32>
// CHECK-NOT: @__bf_{{write|check}}
// CHECK: call {{.*}} @__bf_write_elements(
// CHECK-NOT: @__bf_write_elements(
// CHECK: ret void
void before(int* a, long n) {
  a[0] = 1;
  for (long i = 1; i < n; ++i) a[i] = 2;
}

// CHECK-LABEL: @swapped(
// CHECK: store <{{.*}} x double>
// CHECK-NOT: @__bf_{{write|check}}
// CHECK: call {{.*}} @__bf_write_elements(
// CHECK-NOT: @__bf_write_elements(
// CHECK: ret void
void swapped(double* restrict column, const double* restrict multipliers, long pivot, long k, long n) {
  double other = column[pivot];
  column[pivot] = column[k];
  column[k] = other;
  for (long i = 0; i < n - k - 1; ++i) column[k + 1 + i] += other * multipliers[k + 1 + i];
}
