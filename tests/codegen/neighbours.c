// RUN: %clang --detector=slimstate -O2 -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang --detector=fasttrack -O2 -g -S -emit-llvm %s -o - | FileCheck --check-prefix=APART %s
// RUN: %clang --detector=slimstate --check-first -O2 -g -S -emit-llvm %s -o - | FileCheck --check-prefix=APART %s

// Where arrays are compressed, the copies that the compiler makes of one access are one place: one
// check with one site for those side by side, which says how large each of them is. Not where a check
// may stop its access: it stands before each.
// APART-NOT: _parts

typedef double Pair __attribute__((vector_size(16), aligned(8)));
void synchronise(void);

// CHECK-LABEL: define {{.*}}@axpy(
// CHECK: call {{.*}}void @__bf_read_parts_at(ptr {{.*}}, i64 32, i64 16, ptr
// CHECK: call {{.*}}i32 @__bf_update_parts(ptr [[Y:%[0-9]+]], i64 32, i64 16)
// CHECK: call {{.*}}void @__bf_read_parts_at(ptr [[Y]], i64 32, i64 16, ptr
// CHECK: call {{.*}}void @__bf_write_parts_at(ptr [[Y]], i64 32, i64 16, ptr
// CHECK: {{^}$}}
void axpy(long n, double factor, const double* restrict x, double* restrict y) {
  for (long i = 0; i < n; ++i) y[i] += factor * x[i];
}

// CHECK-LABEL: define {{.*}}@unrolled(
// CHECK: call {{.*}}@__bf_write_parts(ptr {{.*}}, i64 64, i64 16)
// CHECK-NOT: @__bf_write
// CHECK: {{^}$}}
void unrolled(Pair* p, Pair v) {
  for (int k = 0; k < 4; ++k) p[k] = v;
}

// Not more than a test looks at in a few instructions.
// CHECK-LABEL: define {{.*}}@many(
// CHECK: call {{.*}}@__bf_write_parts(ptr {{.*}}, i64 64, i64 16)
// CHECK: call {{.*}}@__bf_write_range(ptr {{.*}}, i64 16)
// CHECK-NOT: @__bf_write
// CHECK: {{^}$}}
void many(Pair* p, Pair v) {
  for (int k = 0; k < 5; ++k) p[k] = v;
}

// A report would name another line.
// CHECK-LABEL: define {{.*}}@lines(
// CHECK-NOT: _parts
// CHECK: {{^}$}}
void lines(Pair* p, Pair v) {
  p[0] = v;
  p[1] = v;
}

// With a gap there is an element in between that nobody accesses.
// CHECK-LABEL: define {{.*}}@gap(
// CHECK-NOT: _parts
// CHECK: {{^}$}}
void gap(Pair* p, Pair v) {
  for (int k = 0; k < 2; ++k) p[2 * k] = v;
}

// What the call does may order the two differently, or never return.
// CHECK-LABEL: define {{.*}}@across_a_call(
// CHECK-NOT: _parts
// CHECK: {{^}$}}
void across_a_call(Pair* p, Pair v) {
  for (int k = 0; k < 2; ++k) {
    p[k] = v;
    synchronise();
  }
}
// CHECK-LABEL: define {{.*}}@across_an_atomic(
// CHECK-NOT: _parts
// CHECK: {{^}$}}
void across_an_atomic(Pair* p, Pair v, int* flag) {
  for (int k = 0; k < 2; ++k) {
    p[k] = v;
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  }
}

// The write comes before the second read, and it is the write that would be reported.
// CHECK-LABEL: define {{.*}}@crossed(
// CHECK-NOT: @__bf_read_parts
// CHECK: {{^}$}}
Pair crossed(Pair* p, Pair v) {
  Pair sum = {0, 0};
  for (int k = 0; k < 2; ++k) {
    sum += p[k];
    *(Pair*)((char*)p + 24) = v;
  }
  return sum;
}

// Cells of pieces smaller than a word are in leaves of 32, which do not follow each other: the test asks whether all
// of them are in one.
// CHECK-LABEL: define {{.*}}@ints(
// CHECK: [[IN_LEAF:%[0-9]+]] = and i64 %{{[0-9]+}}, 127
// CHECK: icmp ugt i64 [[IN_LEAF]], 112
// CHECK: lshr i64 %{{[0-9]+}}, 7
// CHECK: call {{.*}}@__bf_read_parts(ptr {{.*}}, i64 16, i64 4)
// CHECK: {{^}$}}
void ints(int* p, int divisor) {
  for (int k = 0; k < 4; ++k) p[k] = p[k] / divisor;
}
