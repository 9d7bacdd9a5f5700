// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm --no-proxies %s -o - | FileCheck --check-prefix=APART %s
// RUN: %clang --detector=redcard -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=CARD %s
// RUN: %clang --detector=redcard -O2 -S -emit-llvm --no-proxies %s -o - | FileCheck --check-prefix=CARD-APART %s
// RUN: %clang --detector=redcard -O2 -c --verify-placement %s -o %t.o 2>&1 | FileCheck --check-prefix=JUDGE %s
// CARD-APART-NOT: _group
// JUDGE: checks of 7 of 7 functions accepted

// Fields that the file always checks together: one call. In a hot loop its test is inlined, first of the one cell.
struct Vec { double x, y, z; };
// x is also used alone: only y and z belong together.
struct Mixed { double x, y, z; };
// Not whole words, or not neighbours.
struct Small { int a, b; };
struct Gap { long a, b, c; };

// What is known of the types: hash, words; Vec has one group, Mixed two.
// CHECK: @bf.field_groups = private externally_initialized global
// CHECK-SAME: i64 7, ptr null
// CHECK: @bf.group_site = private externally_initialized global {{.*}} { ptr null, ptr null, ptr {{.*}}, i32 3,
// APART-NOT: bf.field_groups

// CHECK-LABEL: define {{.*}}@set(
// CHECK: call preserve_mostcc i32 @__bf_check_write_group(ptr {{.*}}, i32 3)
// CHECK-DAG: call preserve_mostcc void @__bf_group_piece(ptr {{.*}}, i32 2)
// CHECK-DAG: call preserve_mostcc void @__bf_write_group(
// CHECK-NOT: __bf_check_write8
// CHECK: ret void
// APART-LABEL: define {{.*}}@set(
// APART-COUNT-3: call preserve_mostcc void @__bf_check_write8(
// APART: ret void
// redcard checks where the first access is, and the others have nothing to check.
// CARD-LABEL: define {{.*}}@set(
// CARD: call preserve_mostcc i32 @__bf_check_write_group(ptr {{.*}}, i32 3)
// CARD-NOT: _write8(
// CARD: ret void
void set(struct Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}

// A loop that cannot be left behind: the three bits and the stamp are compared at once, two words more than one.
// CHECK-LABEL: define {{.*}}@set_all(
// CHECK-DAG: and i64 %{{.*}}, 8070450536542896127
// CHECK-DAG: or {{.*}}i64 %{{.*}}, 2305843009213693952
// CHECK-DAG: call preserve_mostcc i32 @__bf_check_write_group(
// CHECK: ret void
struct List { struct List* next; struct Vec v; };
void set_all(struct List* l, double d) {
  for (; l; l = l->next) {
    l->v.x = d;
    l->v.y = d;
    l->v.z = d;
  }
}

// CHECK-LABEL: define {{.*}}@sum(
// CHECK: call preserve_mostcc i32 @__bf_check_read_group(
// CHECK-NOT: __bf_check_read8
// CHECK: ret double
// CARD-LABEL: define {{.*}}@sum(
// CARD: call preserve_mostcc i32 @__bf_check_read_group(ptr {{.*}}, i32 3)
// CARD-NOT: _read8(
// CARD: ret double
double sum(const struct Vec* v) { return v->x + v->y + v->z; }

// CHECK-LABEL: define {{.*}}@set_mixed(
// CHECK-DAG: call preserve_mostcc i32 @__bf_check_write_group(ptr {{.*}}, i32 2)
// CHECK-DAG: call preserve_mostcc void @__bf_check_write8(
// CHECK: ret void
// CARD-LABEL: define {{.*}}@set_mixed(
// CARD-DAG: call preserve_mostcc i32 @__bf_check_write_group(ptr {{.*}}, i32 2)
// CARD-DAG: _write8(
// CARD: ret void
void set_mixed(struct Mixed* m, double d) {
  m->x = d;
  m->y = d;
  m->z = d;
}
double mixed_x(const struct Mixed* m) { return m->x; }

// CHECK-LABEL: define {{.*}}@halves_and_gaps(
// CHECK-NOT: _group
// CHECK: ret void
// CARD-LABEL: define {{.*}}@halves_and_gaps(
// CARD-NOT: _group
// CARD: ret void
void halves_and_gaps(struct Small* s, struct Gap* g) {
  s->a = 1;
  s->b = 2;
  g->a = 3;
  g->c = 4;
}

// A call may synchronise: the fields are not in one span.
struct Apart { double x, y; };
void unknown(void);
// CARD-LABEL: define {{.*}}@in_two_spans(
// CARD-NOT: _group
// CARD: ret void
void in_two_spans(struct Apart* a, double d) {
  a->x = d;
  unknown();
  a->y = d;
}
