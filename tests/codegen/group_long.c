// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang --detector=redcard -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang --detector=bigfoot -O2 -c --verify-placement %s -o %t.o 2>&1 | FileCheck --check-prefix=JUDGE %s
// RUN: %clang --detector=redcard -O2 -c --verify-placement %s -o %t.o 2>&1 | FileCheck --check-prefix=JUDGE %s
// JUDGE: checks of 3 of 3 functions accepted

// More fields than one location can have. They are cut at fixed words of the type, so that a file that knows less of it
// (uses only some of the fields) cuts at the same places.
struct Nine { double a, b, c, d, e, f, g, h, i; };
struct Tail { double a, b, c, d, e, f, g, h, i; };

// Words 0..6 and 7..8; of Tail 1..6 and 7..8.
// CHECK: @bf.field_groups = {{.*}} i64 127, ptr null {{.*}} i64 384, ptr null {{.*}} i64 126, ptr null {{.*}} i64 384, ptr null

// CHECK-LABEL: define {{.*}}@set(
// CHECK-DAG: @__bf_check_write_group(ptr {{.*}}, i32 7)
// CHECK-DAG: @__bf_check_write_group(ptr {{.*}}, i32 2)
// CHECK-NOT: {{_write8\(|_range}}
// CHECK: ret void
void set(struct Nine* n, double v) {
  n->a = v, n->b = v, n->c = v, n->d = v, n->e = v, n->f = v, n->g = v, n->h = v, n->i = v;
}

// CHECK-LABEL: define {{.*}}@sum(
// CHECK-DAG: @__bf_check_read_group(ptr {{.*}}, i32 7)
// CHECK-DAG: @__bf_check_read_group(ptr {{.*}}, i32 2)
// CHECK-NOT: {{_read8\(|_range}}
// CHECK: ret double
double sum(const struct Nine* n) { return n->a + n->b + n->c + n->d + n->e + n->f + n->g + n->h + n->i; }

// CHECK-LABEL: define {{.*}}@set_tail(
// CHECK-DAG: @__bf_check_write_group(ptr {{.*}}, i32 6)
// CHECK-DAG: @__bf_check_write_group(ptr {{.*}}, i32 2)
// CHECK: ret void
void set_tail(struct Tail* n, double v) {
  n->b = v, n->c = v, n->d = v, n->e = v, n->f = v, n->g = v, n->h = v, n->i = v;
}
