// RUN: %clang --detector=fasttrack -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes CHECK,EXTERN
// RUN: %clang --detector=redcard -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes CHECK,EXTERN
// RUN: %clang --detector=slimcard -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes CHECK,EXTERN
// RUN: %clang --detector=bigfoot -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes CHECK,EXTERN
// RUN: %clang --detector=bigfoot -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes CHECK,EXTERN
// RUN: %clang --detector=fasttrack -O1 -DOWN -S -emit-llvm %s -o - | FileCheck %s --check-prefixes CHECK,OWN
// RUN: %clang --detector=bigfoot -O1 -DOWN -S -emit-llvm %s -o - | FileCheck %s --check-prefixes CHECK,OWN

// A variable that the C library alone writes, to be read at any time, has no check; nor has it a cell that
// all threads of a program would read in every epoch.
#ifdef OWN
char __libc_single_threaded;
#else
extern char __libc_single_threaded;
#endif
extern char __libc_single_threaded_or_so;

// CHECK-LABEL: define {{.*}}@alone(
// EXTERN-NOT: __bf_{{(check_)?}}{{read|write|update}}
// OWN: call {{.*}}@__bf_{{(check_)?}}read1(ptr {{.*}}@__libc_single_threaded)
// CHECK: ret i32
int alone(void) { return __libc_single_threaded; }

// CHECK-LABEL: define {{.*}}@other(
// CHECK: call {{.*}}@__bf_{{(check_)?}}read1(ptr {{.*}}@__libc_single_threaded_or_so)
// CHECK: ret i32
int other(void) { return __libc_single_threaded_or_so; }
