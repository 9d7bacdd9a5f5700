// RUN: %clang --detector=fasttrack -O0 -Xclang -disable-O0-optnone -S -emit-llvm %s -o - | opt -O2 -S | FileCheck --check-prefix=FREE %s
// RUN: %clang --detector=fasttrack --check-first -O0 -Xclang -disable-O0-optnone -S -emit-llvm %s -o - | opt -O2 -S | FileCheck %s
// RUN: %clang --detector=redcard --check-first -O0 -Xclang -disable-O0-optnone -S -emit-llvm %s -o - | opt -O2 -S | FileCheck %s
// RUN: %clang --detector=bigfoot --check-first -O0 -Xclang -disable-O0-optnone -S -emit-llvm %s -o - | opt -O2 -S | FileCheck %s
// RUN: %clang --detector=bigfoot --check-first -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=PLACED %s

// What is optimised after it has its checks (when linking, for example) may take an access past its check,
// as it may where no check is; not if the check may be the end of the way. Here the loop's load leaves it.
// FREE-LABEL: define {{.*}}@repeated(
// FREE-NOT: @__bf_{{(check_)?}}read4(
// FREE: load i32, ptr %0
// FREE: @__bf_{{(check_)?}}read4(

// CHECK-LABEL: define {{.*}}@repeated(
// CHECK-NOT: load i32, ptr %0
// CHECK: @__bf_{{(check_)?}}read4(
// CHECK: load i32, ptr %0
int repeated(const int *restrict in, int *restrict out, int n) {
  int i = 0;
  do out[i] = *in; while (++i < n);
  return i;
}

// Every element before it is written, and not all of them behind the loop.
// PLACED-LABEL: define {{.*}}@fill(
// PLACED-NOT: store i32
// PLACED: @__bf_{{(check_)?}}write4(
// PLACED: store i32
// PLACED-NOT: @__bf_write_elements(
// PLACED-LABEL: define {{.*}}@tsan.module_ctor(
void fill(int *a, int n) {
  for (int i = 0; i < n; ++i) a[i] = i;
}

// The module says so.
// FREE: call void @__bf_module_init(i32 {{[0-9]+}}, ptr {{.*}}, i32 0)
// CHECK: call void @__bf_module_init(i32 {{[0-9]+}}, ptr {{.*}}, i32 1)
// PLACED: call void @__bf_module_init(i32 {{[0-9]+}}, ptr {{.*}}, i32 1)
