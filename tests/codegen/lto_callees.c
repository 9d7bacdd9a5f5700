// RUN: %clang -DCALLEES -flto -O2 -fPIC -c %s -o %t.callees.o
// RUN: %clang -flto -O2 -fPIC -c %s -o %t.callers.o
// RUN: %clang -flto -O2 %t.callers.o %t.callees.o -Wl,--lto-emit-llvm -o %t.program.bc
// RUN: llvm-dis %t.program.bc -o - | FileCheck %s --check-prefixes=LINKED,PROGRAM
// RUN: %clang -flto -O2 -shared %t.callers.o %t.callees.o -Wl,--lto-emit-llvm -o %t.library.bc
// RUN: llvm-dis %t.library.bc -o - | FileCheck %s --check-prefixes=LINKED,LIBRARY
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=ALONE
// What functions of another file do is known where the files are put together, and only there. (The
// linker sorts functions by name.)

int harmless(int x);
int locks(int x);
int is_weak(int x);
double twice(double x);

#ifdef CALLEES
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int calls;

__attribute__((noinline)) int harmless(int x) {
  return 3 * x;
}
__attribute__((noinline)) int locks(int x) {
  pthread_mutex_lock(&mutex);
  calls += x;
  pthread_mutex_unlock(&mutex);
  return x;
}
__attribute__((weak, noinline)) int is_weak(int x) {
  return 3 * x;
}
double twice(double x) {
  return 2 * x;
}
#else

// One check for the loop.
// LINKED-LABEL: define {{.*}}@calls_harmless(
// LINKED-DAG:   call {{.*}}@harmless
// LINKED-DAG:   call {{.*}}@__bf_read_elements
// LINKED-NOT:   call {{.*}}@__bf_check_
// LINKED:       {{^}}}
// ALONE-LABEL:  define {{.*}}@calls_harmless(
// ALONE:        call {{.*}}@__bf_check_read4
// ALONE:        call {{.*}}@harmless
// ALONE-NOT:    call {{.*}}@__bf_read_elements
// ALONE:        {{^}}}
__attribute__((noinline, used)) int calls_harmless(int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] ^ harmless(i);
  return sum;
}

// LINKED-LABEL: define {{.*}}@calls_locking(
// LINKED:       call {{.*}}@__bf_check_read4
// LINKED:       call {{.*}}@locks
// LINKED-NOT:   call {{.*}}@__bf_read_elements
// LINKED:       {{^}}}
__attribute__((noinline, used)) int calls_locking(int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] ^ locks(i);
  return sum;
}

// Not vectorised yet when the checks are placed.
// LINKED-LABEL: define {{.*}}@calls_nothing(
// LINKED:       fmul <2 x double>
// LINKED-DAG:   call {{.*}}@__bf_write_elements
// LINKED-DAG:   call {{.*}}@__bf_read_elements
// LINKED-NOT:   call {{.*}}@__bf_{{read|write|check}}
// LINKED:       {{^}}}
__attribute__((noinline, used)) void calls_nothing(double* restrict a, const double* restrict b,
                                                   long n) {
  for (long i = 0; i < n; ++i) a[i] = 2 * b[i];
}

// Inlined before the checks are placed, vectorised after.
// LINKED-LABEL: define {{.*}}@calls_small(
// LINKED-NOT:   call {{.*}}@__bf_check_
// LINKED:       fmul <2 x double>
// LINKED-NOT:   call {{.*}}@__bf_check_
// LINKED-DAG:   call {{.*}}@__bf_write_elements
// LINKED-DAG:   call {{.*}}@__bf_read_elements
// LINKED:       {{^}}}
// ALONE-LABEL:  define {{.*}}@calls_small(
// ALONE:        call {{.*}}@twice
// ALONE:        {{^}}}
__attribute__((noinline, used)) void calls_small(double* restrict a, const double* restrict b,
                                                 long n) {
  for (long i = 0; i < n; ++i) a[i] = twice(b[i]);
}

// The linker has chosen it for the program, where nobody can replace it any more; what a library
// has, the program may have another one of.
// LINKED-LABEL: define {{.*}}@calls_weak(
// PROGRAM-DAG:  call {{.*}}@is_weak
// PROGRAM-DAG:  call {{.*}}@__bf_read_elements
// LIBRARY:      call {{.*}}@__bf_check_read4
// LIBRARY:      call {{.*}}@is_weak
// LIBRARY-NOT:  call {{.*}}@__bf_read_elements
// LINKED:       {{^}}}
__attribute__((noinline, used)) int calls_weak(int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] ^ is_weak(i);
  return sum;
}

int main(void) {
  return 0;
}
#endif
