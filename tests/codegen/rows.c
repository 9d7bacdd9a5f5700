// RUN: %clang --detector=bigfoot -O2 -g -Rpass=bigfoot -Rpass-missed=bigfoot -S -emit-llvm %s -o %t.ll 2> %t.remarks
// RUN: FileCheck %s --input-file %t.ll
// RUN: FileCheck %s --check-prefix REMARK --input-file %t.remarks
// A matrix that is walked row by row is one range, also where the length of a row may be negative for all that is
// known outside the loops: then the inner loop never runs.

// CHECK-LABEL: @rows(
// CHECK-NOT: @__bf_{{write|check}}
// CHECK: call {{.*}} @__bf_write_elements(ptr %0,
// CHECK-NOT: @__bf_{{write|check}}
// CHECK: ret void
// REMARK: rows.c:[[#@LINE+3]]:{{[0-9]+}}: remark: write of 4 bytes: one check for a whole loop
void rows(int* a, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i * m + j] = j;
}

// CHECK-LABEL: @guarded(
// CHECK-NOT: @__bf_{{write|check}}
// CHECK: call {{.*}} @__bf_write_elements(ptr %0,
// CHECK-NOT: @__bf_{{write|check}}
// CHECK: ret void
void guarded(int* a, long n, long m) {
  if (m <= 0) return;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j) a[i * m + j] = 1;
}
