// RUN: %clang --detector=fasttrack -O1 -S -emit-llvm %s -o - | FileCheck %s

// Which accesses get a check at all.
struct Point { int x, y; };
static const int kTable[4] = {1, 2, 3, 5};
extern int shared;
void use(int);

// A constant table cannot be written.
// CHECK-LABEL: define {{.*}}@constant(
// CHECK-NOT: __bf_{{read|write|update}}
// CHECK: ret {{void|i32}}
int constant(int i) { return kTable[i & 3]; }

// The address of the local never leaves the function.
// CHECK-LABEL: define {{.*}}@local(
// CHECK-NOT: __bf_{{read|write|update}}
// CHECK: ret {{void|i32}}
int local(int n) {
  int ring[8] = {0};
  for (int i = 0; i < n; ++i) ring[(i * n) & 7] += i;
  return ring[n & 7];
}

// CHECK-LABEL: define {{.*}}@global(
// CHECK: call preserve_mostcc void @__bf_read4(ptr @shared)
// CHECK: ret {{void|i32}}
int global(void) { return shared; }

// The author asked for no checks; the frame is not kept either.
// CHECK-LABEL: define {{.*}}@unchecked(
// CHECK-NOT: __bf_
// CHECK: ret {{void|i32}}
__attribute__((no_sanitize("thread"))) int unchecked(void) { return shared; }

// A copy is two range checks.
// CHECK-LABEL: define {{.*}}@copy(
// CHECK: call preserve_mostcc void @__bf_read_range(ptr %{{.*}}, i64 40)
// CHECK: call preserve_mostcc void @__bf_write_range(ptr %{{.*}}, i64 40)
struct Block { char bytes[40]; };
void copy(struct Block* to, const struct Block* from) { *to = *from; }

// TSan's own pass finds nothing to do.
// CHECK-NOT: __tsan_
