/* FFTW's configuration: double precision, plain C codelets, threads by pthreads. Its own configure script writes such
 * a file. */
#pragma once

#define PACKAGE "fftw"
#define PACKAGE_VERSION "3.3"
#define VERSION PACKAGE_VERSION
#define FFTW_CC "clang"
#define DISABLE_FORTRAN 1
#define HAVE_THREADS 1
#define USING_POSIX_THREADS 1
#define HAVE_ABORT 1
#define HAVE_MALLOC_H 1
#define HAVE_MEMMOVE 1
#define HAVE_MEMSET 1
#define HAVE_POSIX_MEMALIGN 1
#define HAVE_DECL_POSIX_MEMALIGN 1
#define HAVE_SNPRINTF 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UINTPTR_T 1
#define HAVE_UNISTD_H 1
#define STDC_HEADERS 1
#define TIME_WITH_SYS_TIME 1
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_UNSIGNED_INT 4
#define SIZEOF_UNSIGNED_LONG 8
#define SIZEOF_UNSIGNED_LONG_LONG 8
#define SIZEOF_VOID_P 8
