// RUN: %clang --detector=fasttrack -O2 -g0 -fno-asynchronous-unwind-tables -S %s -o - | FileCheck %s
// RUN: %clang --detector=fasttrack -O2 -g0 -fPIC -S %s -o - | FileCheck --check-prefix=SHARED %s

// The test before a read of 8 bytes: region, the cell's read word, whether the thread knows it.
long get(long* p) { return *p; }

// CHECK-LABEL: get:
// CHECK:       movq (%{{[a-z0-9]+}},%{{[a-z0-9]+}},8), %[[REGION:[a-z0-9]+]]
// CHECK-NEXT:  testq %[[REGION]], %[[REGION]]
// CHECK-NEXT:  je [[SLOW:[.A-Z0-9_]+]]
// CHECK:       movl 8(%[[REGION]],%rdi,2), %[[READ:[a-z0-9]+]]
// CHECK-NEXT:  movl %[[READ]], %[[INDEX:[a-z0-9]+]]
// CHECK-NEXT:  roll %[[INDEX]]
// CHECK-NEXT:  andl $127, %[[INDEX]]
// CHECK-NEXT:  movl %fs:__bf_thread@TPOFF+32(,%{{[a-z0-9]+}},4), %[[KNOWN:[a-z0-9]+]]
// CHECK-NEXT:  cmpl %[[KNOWN]], %[[READ]]
// CHECK-NEXT:  jne [[SLOW]]
// CHECK:       movq (%rdi), %rax
// CHECK:       retq
// CHECK:       [[SLOW]]:
// CHECK:       callq __bf_read8{{$}}

// In a shared library the run time is elsewhere, and the lazy binder would not keep the registers.
// SHARED: callq *__bf_read8@GOTPCREL(%rip)
