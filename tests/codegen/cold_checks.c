// RUN: %clang --detector=fasttrack -O2 -S -emit-llvm %s -o - | FileCheck %s
// Where the program is about to end, a check is a call; elsewhere it has its inlined test. (Those of bigfoot: hot_checks.c.)

void stop(int code) __attribute__((noreturn));

// CHECK-LABEL: @fails(
// CHECK-NOT: __bf_shadow
// CHECK: call {{.*}}@__bf_check_write8(
// CHECK: call void @stop
void fails(long* last, int code) {
  if (code != 0) {
    *last = code;
    stop(code);
  }
}

// CHECK-LABEL: @goes_on(
// CHECK: __bf_shadow_8
// CHECK: call {{.*}}@__bf_write8(
void goes_on(long* last, int code) {
  if (code != 0) *last = code;
}
