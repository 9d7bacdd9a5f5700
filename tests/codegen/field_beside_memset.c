// RUN: %clang --detector=bigfoot -O1 -S -emit-llvm %s -o - | FileCheck %s
// One range of a field and of what a memory function fills, taken apart again so that each is reported as what it is.
// No other check tells of the field's type.
struct mask { unsigned long bits; };
struct table { struct mask mask; char buckets[552]; };

// CHECK-LABEL: @clear(
// CHECK-DAG: call {{.*}} @__bf_check_write8(
// CHECK-DAG: call {{.*}} @__bf_write_range({{.*}} i64 552)
// CHECK: ret void
void clear(struct table* t) {
  t->mask.bits = 1;
  __builtin_memset(t->buckets, 0, sizeof t->buckets);
}
