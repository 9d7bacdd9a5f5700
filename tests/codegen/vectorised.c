// RUN: %clang --detector=bigfoot -O2 -mavx2 -S -emit-llvm %s -o - | FileCheck %s

// Two checks for the whole loop, after it; the loop itself is vectorised.
void scale(double* restrict a, const double* restrict b, long n) {
  for (long i = 0; i < n; ++i) a[i] = 2 * b[i];
}

// CHECK-LABEL: define {{.*}}@scale(
// CHECK-NOT:   call {{.*}}@__bf_{{read|write}}
// CHECK:       fmul <4 x double>
// CHECK:       call {{.*}}@__bf_write_elements
// CHECK:       call {{.*}}@__bf_read_elements
// CHECK-NOT:   call {{.*}}@__bf_{{read|write}}
// CHECK:       ret void

// A column: one strided check.
void column(double* a, long n) {
  for (long i = 0; i < n; ++i) a[100 * i] = 0;
}

// CHECK-LABEL: define {{.*}}@column(
// CHECK:       call {{.*}}@__bf_write_strided(ptr {{.*}}, i64 {{.*}}, i64 800, i64 8, i32 8)

// A whole matrix: one check, whatever the shape of the loops.
void matrix(double (*a)[64], long n) {
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < 64; ++j) a[i][j] = 0;
}

// CHECK-LABEL: define {{.*}}@matrix(
// CHECK-NOT:   call {{.*}}@__bf_{{read|write}}
// CHECK:       call {{.*}}@__bf_write_{{elements|range}}
// CHECK-NOT:   call {{.*}}@__bf_{{read|write}}
// CHECK:       ret void
