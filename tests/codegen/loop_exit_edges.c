// RUN: %clang --detector=bigfoot -O1 -S -emit-llvm %s -o - | FileCheck %s

// Checks on several of the edges that leave a loop to one place: each edge gets a block of its own, and
// splitting one must leave the others where the plan knows them.
struct shared { int i[40]; short s[40]; double d[40]; };

// CHECK-LABEL: define {{.*}}@leaves_from_two_places(
// CHECK: call {{.*}}@__bf_write
// CHECK: ret i32
int leaves_from_two_places(struct shared* g, int n, int v) {
  for (int a = 0; a < 2; ++a) {
    if ((int)g->d[a] == 0) break;
    for (unsigned long b = 0; b < 12; b += 2) {
      g->s[a + 17] = (short)(g->i[b] & 63);
      if (n > 4) return v;
    }
  }
  return v;
}
