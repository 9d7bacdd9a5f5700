// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang --detector=bigfoot --verify-placement -O2 -c %s -o %t.o
// Copies and fills are accesses like others: merged, moved out of loops, and redundant ones dropped.
#include <string.h>

struct Point { long x, y, z; };

// The read of the member is part of the copy.
// CHECK-LABEL: define {{.*}}@copy_and_look(
// CHECK-DAG: call {{.*}}@__bf_read_range({{.*}}, i64 24)
// CHECK-DAG: call {{.*}}@__bf_write_range({{.*}}, i64 24)
// CHECK-NOT: __bf_check_
// CHECK: ret i64
long copy_and_look(struct Point* to, const struct Point* from) {
  *to = *from;
  return from->y;
}

// Rows of a constant size that follow each other end as one range behind the loop.
// CHECK-LABEL: define {{.*}}@copy_rows(
// CHECK-NOT: __bf_read_range
// CHECK: call void @llvm.memcpy
// CHECK-NOT: call void @llvm.memcpy
// CHECK: call {{.*}}@__bf_read_range(
// CHECK: ret void
void copy_rows(long (*restrict to)[32], long (*restrict from)[16], long rows) {
  for (long i = 0; i < rows; ++i) memcpy(to[i], from[i], sizeof from[i]);
}

// A length that is not known is as good as one that is.
// CHECK-LABEL: define {{.*}}@twice(
// CHECK: @llvm.memset
// CHECK: @llvm.memset
// CHECK: call {{.*}}@__bf_write_range(
// CHECK-NOT: call {{.*}}@__bf_write_range(
// CHECK: ret i8
char twice(char* p, unsigned long n, const char* q) {
  memset(p, 1, n);
  const char between = *q;
  memset(p, 0, n);
  return between;
}
