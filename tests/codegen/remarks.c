// RUN: %clang --detector=bigfoot -O2 -g -Rpass=bigfoot -Rpass-missed=bigfoot -c %s -o %t.o 2>&1 | FileCheck %s

void unknown(void);

// CHECK: remarks.c:[[#@LINE+2]]:57: remark: write of 8 bytes: one check for a whole loop [-Rpass=bigfoot]
// CHECK: remarks.c:[[#@LINE+1]]:57: remark: write of 8 bytes: checked here because the function ends [-Rpass-missed=bigfoot]
void fill(long* a) { for (long i = 0; i < 99; ++i) a[i] = i; }

// CHECK: remarks.c:[[#@LINE+2]]:{{[0-9]+}}: remark: {{.*}}: checked here because call to unknown may synchronise or free memory [-Rpass-missed=bigfoot]
void before(long* a) {
  a[0] = 1;
  unknown();
}

// CHECK: remark: read of 8 bytes: one check for 2 accesses [-Rpass=bigfoot]
long twice(volatile long* a) { return *a + *a; }
