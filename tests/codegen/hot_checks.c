// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm %s -o - | FileCheck %s
// A check of bigfoot is one call, unless it is on a way round a loop that calls nothing else: then its test is inlined.

void use(long n);

// CHECK-LABEL: @once(
// CHECK-NOT: __bf_shadow
// CHECK: call {{.*}}@__bf_check_write8(
void once(long* last, int code) {
  if (code != 0) *last = code;
}

// CHECK-LABEL: @often(
// CHECK: __bf_shadow_8
// CHECK: call {{.*}}@__bf_read8(
// CHECK: br {{.*}}!llvm.loop
// The last element's is not another one, behind the loop: all rounds end with the same check.
// CHECK-NOT: @__bf_check_
// CHECK: ret i64
struct Node { struct Node* next; };
long often(struct Node* n) {
  long length = 0;
  for (; n; n = n->next) ++length;
  return length;
}

// CHECK-LABEL: @elsewhere(
// CHECK-NOT: __bf_shadow
// CHECK: call {{.*}}@__bf_check_read8(
// CHECK: ret void
void elsewhere(struct Node* n) {
  for (; n; n = n->next) use(1);
}

// Most rounds do not call: the check that all of them make is inlined, and the one before the call is none of its business.
// CHECK-LABEL: @now_and_then(
// CHECK-NOT: __bf_shadow
// CHECK: call {{.*}}@__bf_check_write8(
// CHECK-NEXT: call void @use(
// CHECK: __bf_shadow_8
// CHECK: call {{.*}}@__bf_read8(
// CHECK-NOT: __bf_shadow
// CHECK: ret void
void now_and_then(struct Node* n, struct Node* found, struct Node** last) {
  for (; n; n = n->next)
    if (n == found) {
      *last = n;
      use(1);
    }
}

// sqrt() is a library call, but not one in which the time goes.
// CHECK-LABEL: @lengths(
// CHECK: call double @sqrt(
// CHECK: __bf_shadow_8
// CHECK: ret double
struct Length { struct Length* next; double squared; };
double sqrt(double);
double lengths(struct Length* l) {
  double sum = 0;
  for (; l; l = l->next) sum += sqrt(l->squared);
  return sum;
}

// A check is in nobody's way: it touches nothing that the program does.
// CHECK: declare {{(dso_local )?}}preserve_mostcc void @__bf_check_write8(ptr {{(nocapture|captures\(none\))}}) {{.*}}#[[CHECK:[0-9]+]]
// CHECK: attributes #[[CHECK]] = {{.*}}memory(inaccessiblemem: readwrite)
