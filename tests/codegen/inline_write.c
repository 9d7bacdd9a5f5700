// RUN: %clang --detector=fasttrack -O2 -g0 -fno-asynchronous-unwind-tables -S %s -o - | FileCheck %s
// RUN: %clang --detector=fasttrack -O2 -g0 -fPIC -S %s -o - | FileCheck --check-prefix=SHARED %s

// The test before a write of 8 bytes: aligned, region, stamp, compare; one call, on the cold side; no spill.
void set(long* p) { *p = 1; }

// CHECK-LABEL: set:
// CHECK:       testb $7, %dil
// CHECK-NEXT:  jne [[SLOW:[.A-Z0-9_]+]]
// CHECK:       shrq $26, %[[INDEX:[a-z0-9]+]]
// CHECK-NEXT:  leaq __bf_shadow_8(%rip), %[[TABLE:[a-z0-9]+]]
// CHECK-NEXT:  movq (%[[TABLE]],%[[INDEX]],8), %[[REGION:[a-z0-9]+]]
// CHECK-NEXT:  testq %[[REGION]], %[[REGION]]
// CHECK-NEXT:  je [[SLOW]]
// CHECK:       movl %fs:__bf_thread@TPOFF, %[[MINE:[a-z0-9]+]]
// CHECK-NEXT:  movl (%[[REGION]],%rdi,2), %[[CELL:[a-z0-9]+]]
// CHECK-NEXT:  cmpl %[[MINE]], %[[CELL]]
// CHECK-NEXT:  jne [[SLOW]]
// CHECK:       movq $1, (%rdi)
// CHECK:       retq
// CHECK:       [[SLOW]]:
// CHECK:       callq __bf_write8{{$}}
// CHECK:       jmp

// In a shared library the run time is elsewhere, and the lazy binder would not keep the registers.
// SHARED: callq *__bf_write8@GOTPCREL(%rip)
