/* liblzma's configuration for the part that is measured: threads, LZMA and the checks of the .xz format, without the
 * filters for machine code and without assembly. xz's own configure script writes such a file. */
#pragma once

#define ASSUME_RAM 128
#define HAVE_CHECK_CRC32 1
#define HAVE_CHECK_CRC64 1
#define HAVE_CHECK_SHA256 1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_CLOCK_MONOTONIC 1
#define HAVE_DECODERS 1
#define HAVE_DECODER_DELTA 1
#define HAVE_DECODER_LZMA1 1
#define HAVE_DECODER_LZMA2 1
#define HAVE_ENCODERS 1
#define HAVE_ENCODER_DELTA 1
#define HAVE_ENCODER_LZMA1 1
#define HAVE_ENCODER_LZMA2 1
#define HAVE_INTTYPES_H 1
#define HAVE_MF_BT2 1
#define HAVE_MF_BT3 1
#define HAVE_MF_BT4 1
#define HAVE_MF_HC3 1
#define HAVE_MF_HC4 1
#define HAVE_PTHREAD_CONDATTR_SETCLOCK 1
#define HAVE_STDBOOL_H 1
#define HAVE_STDINT_H 1
#define HAVE_VISIBILITY 1
#define HAVE__BOOL 1
#define HAVE___BUILTIN_ASSUME_ALIGNED 1
#define HAVE___BUILTIN_BSWAPXX 1
#define MYTHREAD_POSIX 1
#define NDEBUG 1
#define PACKAGE_BUGREPORT ""
#define PACKAGE_NAME "XZ Utils"
#define PACKAGE_URL ""
#define SIZEOF_SIZE_T 8
#define TUKLIB_CPUCORES_SCHED_GETAFFINITY 1
#define TUKLIB_FAST_UNALIGNED_ACCESS 1
#define TUKLIB_PHYSMEM_SYSCONF 1
