// RUN: %clang --detector=fasttrack -O1 -S -emit-llvm %s -o - | FileCheck %s

// Which functions push a mark below their frame, and look for it.
extern int shared;
void use(int);

// One byte for each function that does; no constants, which could be folded into one.
// CHECK-DAG: [[SELF:@bigfoot.mark[.0-9]*]] = private externally_initialized global i8 0
// CHECK-DAG: [[THROUGH:@bigfoot.mark[.0-9]*]] = private externally_initialized global i8 0

// CHECK-LABEL: define {{.*}}@itself(
// CHECK: [[CALLER:%.*]] = load ptr, ptr {{.*}}
// CHECK: mul
// CHECK: [[BELOW:%.*]] = getelementptr inbounds i8, ptr [[CALLER]], i64 -16
// CHECK: [[FOUND:%.*]] = load i64, ptr [[BELOW]]
// CHECK: [[AGAIN:%.*]] = icmp eq i64 [[FOUND]], xor (i64 ptrtoint (ptr [[SELF]] to i64), i64 -1)
// CHECK: [[MARK:%.*]] = getelementptr inbounds {{.*}}i8, ptr [[CALLER]], i64 16
// CHECK: store i64 xor (i64 ptrtoint (ptr [[SELF]] to i64), i64 -1), ptr [[MARK]]
// CHECK: ret i32
int itself(int n) {
  if (n == 0) return shared;
  int below = itself(n - 1);
  use(below);
  return below + 1;
}

// A function of its type may be itself.
// CHECK-LABEL: define {{.*}}@through_pointer(
// CHECK: ptrtoint (ptr [[THROUGH]] to i64)
// CHECK: ret void
void through_pointer(void* p) {
  shared = 1;
  (*(void (**)(void*))p)(p);
  shared = 2;
}

// CHECK-LABEL: define {{.*}}@not_of_its_type(
// CHECK-NOT: bigfoot.mark
// CHECK: ret void
void not_of_its_type(void (*f)(int)) {
  shared = 1;
  f(1);
  shared = 2;
}

static void not_pointed_to(void* p);

// CHECK-LABEL: define {{.*}}@others(
// CHECK-NOT: bigfoot.mark
// CHECK: ret void
void others(void* p) {
  not_pointed_to(p);
  itself(2);
}

// CHECK-LABEL: define {{.*}}@not_pointed_to(
// CHECK-NOT: bigfoot.mark
// CHECK: ret void
static __attribute__((noinline)) void not_pointed_to(void* p) {
  shared = 1;
  (*(void (**)(void*))p)(p);
  shared = 2;
}
