// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm --no-proxies %s -o - | FileCheck --check-prefix=APART %s
// RUN: %clang --detector=bigfoot -O2 -g0 -fno-asynchronous-unwind-tables -S %s -o - | FileCheck --check-prefix=ASM %s

// Fields that the file always checks together: one check. Its first test is of one cell.
struct Vec { double x, y, z; };
// x is also used alone: only y and z belong together.
struct Mixed { double x, y, z; };
// Not whole words, or not neighbours.
struct Small { int a, b; };
struct Gap { long a, b, c; };

// What is known of the types: hash, words; Vec has one group, Mixed two.
// CHECK: @bf.field_groups = private global
// CHECK-SAME: i64 7, ptr null
// CHECK: @bf.group_site = private global {{.*}} { ptr null, ptr null, ptr {{.*}}, i32 3,
// APART-NOT: bf.field_groups

// CHECK-LABEL: define {{.*}}@set(
// The three bits and the stamp; two words more.
// CHECK-DAG: and i64 %{{.*}}, 8070450536542896127
// CHECK-DAG: or disjoint i64 %{{.*}}, 2305843009213693952
// CHECK-DAG: call preserve_mostcc void @__bf_group_piece(ptr {{.*}}, i32 2)
// CHECK-DAG: call preserve_mostcc void @__bf_write_group(
// CHECK-NOT: __bf_write8
// CHECK: ret void
// APART-LABEL: define {{.*}}@set(
// APART-COUNT-3: call preserve_mostcc void @__bf_write8(
// APART: ret void
void set(struct Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}

// The hot side of a write: region, one load, one comparison; then the function returns.
// ASM-LABEL: set:
// ASM:       shrq $26, %[[INDEX:[a-z0-9]+]]
// ASM:       movq (%{{.*}},%[[INDEX]],8), %[[REGION:[a-z0-9]+]]
// ASM-NEXT:  testq %[[REGION]], %[[REGION]]
// ASM-NEXT:  je
// ASM:       movq (%[[REGION]],%rdi,2),
// ASM-NOT:   (%[[REGION]]
// ASM:       cmpq
// ASM-NEXT:  jne
// ASM-NOT:   cmp
// ASM:       retq

// CHECK-LABEL: define {{.*}}@sum(
// CHECK: call preserve_mostcc void @__bf_read_group(
// CHECK-NOT: __bf_read8
// CHECK: ret double
double sum(const struct Vec* v) { return v->x + v->y + v->z; }

// CHECK-LABEL: define {{.*}}@set_mixed(
// CHECK-DAG: call preserve_mostcc void @__bf_write_group(
// CHECK-DAG: call preserve_mostcc void @__bf_write8(
// CHECK: ret void
void set_mixed(struct Mixed* m, double d) {
  m->x = d;
  m->y = d;
  m->z = d;
}
double mixed_x(const struct Mixed* m) { return m->x; }

// CHECK-LABEL: define {{.*}}@halves_and_gaps(
// CHECK-NOT: _group
// CHECK: ret void
void halves_and_gaps(struct Small* s, struct Gap* g) {
  s->a = 1;
  s->b = 2;
  g->a = 3;
  g->c = 4;
}
