/* OpenBLAS's configuration: the generic kernels in C, double precision, threads, no Fortran. Its own makefiles write such
 * a file.
 *
 * No architecture is named, because those of the package bring their locks and fences in assembly, which no detector
 * looks into; what a header common_ARCHITECTURE.h of the package has is here, in C11. */
#pragma once

#define RISCV64_GENERIC 1 /* of the generic targets the one that fixes the sizes of its blocks */
#define OS_LINUX 1
#define C_CLANG 1
#define HAVE_C11 1
#define __64BIT__ 1
#define FUNDERSCORE _
#define NO_AFFINITY 1
#define NO_LAPACK 1
#define BUILD_DOUBLE 1
#define BUILD_SINGLE 1
#define SMP_SERVER 1
#define MAX_CPU_NUMBER 64
#define MAX_PARALLEL_NUMBER 1
#define MAX_STACK_ALLOC 2048
#define GEMM_MULTITHREAD_THRESHOLD 4
#define VERSION "0.3"
#define CHAR_CORENAME "generic"

#define L1_DATA_SIZE 32768
#define L1_DATA_LINESIZE 64
#define L2_SIZE 524288
#define DTB_DEFAULT_ENTRIES 64

#define MB __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define WMB __atomic_thread_fence(__ATOMIC_RELEASE)
#define RMB __atomic_thread_fence(__ATOMIC_ACQUIRE)

/* Threads hand blocks to each other by flags: relaxed atomics between fences in some files, _Atomic in others, volatile in
 * driver/level3/level3_thread.c, which project.json makes _Atomic too. Sequentially consistent, all of them are atomics
 * that any detector follows. */
#undef __ATOMIC_RELAXED
#define __ATOMIC_RELAXED __ATOMIC_SEQ_CST
#define BLAS_LOCK_DEFINED
#define blas_lock(lock) while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) sched_yield()

#define INLINE inline
#define BUFFER_SIZE (32 << 20)
#define SEEK_ADDRESS
#define PAGESIZE 4096

#ifndef __cplusplus
static inline int blas_quickdivide(int x, int y) { return x / y; }
#endif
