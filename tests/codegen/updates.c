// RUN: %clang --detector=fasttrack -O1 -S -emit-llvm %s -o - | FileCheck %s

// Where a write of the same bytes certainly follows a read, the slow side of the read tries both as
// one step and falls back to the read alone; the write keeps its check.
typedef double Pair __attribute__((vector_size(16)));
struct Node { struct Node* next; };
void synchronise(void);

// CHECK-LABEL: define {{.*}}@add(
// CHECK: call preserve_mostcc i32 @__bf_update8(
// CHECK: call preserve_mostcc void @__bf_read8(
// CHECK: call preserve_mostcc void @__bf_write8(
// CHECK: ret {{void|i32}}
void add(long* p, long n) { *p += n; }

// CHECK-LABEL: define {{.*}}@add_pair(
// CHECK: call preserve_mostcc i32 @__bf_update_range({{.*}}, i64 16)
// CHECK: call preserve_mostcc void @__bf_read_range({{.*}}, i64 16)
// CHECK: call preserve_mostcc void @__bf_write_range({{.*}}, i64 16)
// CHECK: ret {{void|i32}}
void add_pair(Pair* p, Pair n) { *p += n; }

// What the call does may order the read before another thread's access and the write after it.
// CHECK-LABEL: define {{.*}}@across_a_call(
// CHECK-NOT: __bf_update
// CHECK: ret {{void|i32}}
void across_a_call(long* p) {
  long n = *p;
  synchronise();
  *p = n + 1;
}

// CHECK-LABEL: define {{.*}}@across_an_atomic(
// CHECK-NOT: __bf_update
// CHECK: ret {{void|i32}}
void across_an_atomic(long* p, int* flag) {
  long n = *p;
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  *p = n + 1;
}

// The write may not happen.
// CHECK-LABEL: define {{.*}}@perhaps(
// CHECK-NOT: __bf_update
// CHECK: ret {{void|i32}}
void perhaps(long* p) {
  if (*p > 0) *p = 0;
}

// Other bytes.
// CHECK-LABEL: define {{.*}}@elsewhere(
// CHECK-NOT: __bf_update
// CHECK: ret {{void|i32}}
void elsewhere(int* p) {
  int n = p[0];
  p[1] = n;
}

// The note that leads there is gone afterwards, also where a check stays a call.
// CHECK-NOT: bigfoot.update
