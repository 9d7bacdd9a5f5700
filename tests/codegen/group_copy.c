// RUN: %clang --detector=redcard -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm %s -o - | FileCheck %s

// The stores of a struct assignment that was taken apart are stores of doubles, in no type that metadata tells. The
// loads of the same bytes say that they are fields of a Vec.
struct Vec { double x, y, z; };

// CHECK-LABEL: define {{.*}}@twice(
// CHECK: @__bf_check_{{read|write}}_group(ptr {{.*}}, i32 3)
// CHECK: @__bf_check_write_group(ptr {{.*}}, i32 3)
// CHECK-NOT: {{_(read|write)8\(}}
// CHECK: ret void
static double wrapped(double v, double side) { return v < 0 ? v + side : v; }
void synchronise(void);
void twice(struct Vec* v, double side) {
  struct Vec doubled = {wrapped(2 * v->x, side), wrapped(2 * v->y, side), wrapped(2 * v->z, side)};
  synchronise();
  *v = doubled;
}
