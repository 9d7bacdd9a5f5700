// RUN: %clang --detector=bigfoot -O1 -S -emit-llvm %s -o - | FileCheck %s

// A check that all ways out of a block make stands once, before they part.
void use(long n);

// Before the call on one way, at the end on the other.
// CHECK-LABEL: define {{.*}}@sometimes_calls(
// CHECK: call {{.*}}@__bf_check_read8(
// CHECK-NOT: @__bf_check_
// CHECK: ret i64
long sometimes_calls(long* p, int c) {
  long n = *p;
  if (c) use(1);
  return n;
}

// One in front of the cases, not one in each.
// CHECK-LABEL: define {{.*}}@cases(
// CHECK: call {{.*}}@__bf_check_read4(
// CHECK: switch i32
// CHECK-NOT: @__bf_check_
// CHECK: ret void
void cases(int* p) {
  switch (*p) {
    case 1: use(11); use(12); break;
    case 2: use(21); break;
    case 4: use(41); use(43); use(46); break;
    case 7: break;
    default: use(5); use(6);
  }
}

// Ways that meet before they make it.
// CHECK-LABEL: define {{.*}}@meet(
// CHECK: call {{.*}}@__bf_check_read8(
// CHECK-NOT: @__bf_check_read8(
// CHECK: ret void
void meet(long* p, volatile int* v) {
  long n = *p;
  if (n > 5) {
    if (*v) return;
  } else {
    if (v[1]) return;
  }
  use(n);
}

// The write's check stands for the read on one of them.
// CHECK-LABEL: define {{.*}}@one_writes(
// CHECK-DAG: call {{.*}}@__bf_check_read8(
// CHECK-DAG: call {{.*}}@__bf_check_write8(
// CHECK-NOT: @__bf_check_
// CHECK: ret void
void one_writes(long* p, int c) {
  long n = *p;
  if (c)
    use(n);
  else
    *p = n + 1;
}
