// RUN: %clang --detector=slimstate -O2 -fno-unroll-loops -fno-vectorize -g0 -fno-asynchronous-unwind-tables -S %s -o - | FileCheck %s
// RUN: %clang --detector=slimstate -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=SITES %s
// RUN: %clang --detector=fasttrack -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=PLANES %s
// RUN: %clang --detector=bigfoot -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=PLANES %s

// Where arrays are compressed and every access is checked, a sweep goes on by its cursor: the place is
// looked for twice, before and after the run time is entered, and nothing is called. A repeated one only
// looks, and compares the place last.
// CHECK-LABEL: fill:
// CHECK:       movq %fs:__bf_thread@TPOFF+544, %[[FIRST:[a-z0-9]+]]
// CHECK-NEXT:  movq [[#%u,CURSOR:]](%[[FIRST]]), %[[MORE:[a-z0-9]+]]
// CHECK-NEXT:  subq %[[PLACE:[a-z0-9]+]], %[[MORE]]
// CHECK-NEXT:  je
// CHECK:       cmpq $1, %[[MORE]]
// CHECK-NEXT:  jne
// CHECK:       subq [[#CURSOR+40]](%[[FIRST]]), %[[NUMBER:[a-z0-9]+]]
// CHECK-NEXT:  imulq [[#CURSOR+48]](%[[FIRST]]), %[[NUMBER]]
// CHECK-NEXT:  movq [[#CURSOR+56]](%[[FIRST]]), %rcx
// CHECK-NEXT:  rorq %cl, %[[NUMBER]]
// CHECK-NEXT:  shrq $6, %rcx
// CHECK-NEXT:  cmpq %rcx, %[[NUMBER]]
// CHECK-NEXT:  ja
// CHECK:       movq [[#CURSOR]](%[[FIRST]]), %[[MORE]]
// CHECK-NEXT:  subq %[[PLACE]], %[[MORE]]
// CHECK:       cmpl $0, %fs:__bf_thread@TPOFF+4
// CHECK-NEXT:  jne
// CHECK:       movl $1, %fs:__bf_thread@TPOFF+4
// CHECK:       movl __bf_paused(%rip)
// CHECK:       movq %fs:__bf_thread@TPOFF+544, %[[TABLE:[a-z0-9]+]]
// CHECK-NEXT:  cmpq %[[PLACE]], [[#CURSOR]](%[[TABLE]])
// CHECK-NEXT:  jne
// CHECK:       subq [[#CURSOR+8]](%[[TABLE]]), %[[BY:[a-z0-9]+]]
// CHECK-NEXT:  cmpq [[#CURSOR+16]](%[[TABLE]]), %[[BY]]
// CHECK-NEXT:  jne
// CHECK:       subq [[#CURSOR+24]](%[[TABLE]]), %[[FROM:[a-z0-9]+]]
// CHECK-NEXT:  cmpq [[#CURSOR+32]](%[[TABLE]]), %[[FROM]]
// CHECK-NEXT:  ja
// CHECK:       movq %{{[a-z0-9]+}}, [[#CURSOR+8]](%[[TABLE]])
// CHECK:       movl $0, %fs:__bf_thread@TPOFF+4
// CHECK:       cmpl $0, %fs:__bf_thread@TPOFF+24
void fill(long* cells, long n) {
  for (long i = 0; i < n; ++i) cells[i] = i;
}

// Each check in a loop has a site of its own, which its slow side is told.
// SITES: @bigfoot.sites = private {{.*}}constant {{.*}}zeroinitializer, align 128
// PLANES-NOT: bigfoot.sites
// PLANES-NOT: __bf_paused

// An address that does not follow the loop is no sweep.
// SITES-LABEL: @scatter(
// SITES: call {{.*}}@__bf_write8(ptr
// SITES: ret void
void scatter(long* cells, const long* where, long n) {
  for (long i = 0; i < n; ++i) cells[where[i]] = i;
}
// One that follows only the loop around is the same each time round: that is all it looks for.
// CHECK-LABEL: pairs:
// CHECK:       movq %fs:__bf_thread@TPOFF+544, %[[ITS:[a-z0-9]+]]
// CHECK-NEXT:  cmpq %{{[a-z0-9]+}}, [[#%u,AT:]](%[[ITS]])
// CHECK-NEXT:  jne
// CHECK:       movq [[#AT-8]](%[[ITS]]), %[[NAME:[a-z0-9]+]]
// CHECK-NEXT:  subq %{{[a-z0-9]+}}, %[[NAME]]
// CHECK-NEXT:  cmpq $2, %[[NAME]]
// SITES-LABEL: @pairs(
// SITES-COUNT-2: call {{.*}}@__bf_read8_at(ptr
// SITES: {{^}$}}
long pairs(volatile long* cells, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) sum += cells[i] ^ cells[j];
  return sum;
}
// Nor is one outside of a loop.
// SITES-LABEL: @once(
// SITES-NOT: __bf_write8_at
// SITES: ret void
void once(long* cell) { *cell = 1; }
// SITES: declare {{.*}}@__bf_write8_at(
