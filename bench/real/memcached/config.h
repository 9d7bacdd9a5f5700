/* memcached's configuration for the part that is measured: no storage on disks, no TLS, no proxy. Its own configure
 * script writes such a file. */
#pragma once

#define ENDIAN_LITTLE 1
#define HAVE_ACCEPT4 1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_EVENTFD 1
#define HAVE_GCC_64ATOMICS 1
#define HAVE_GCC_ATOMICS 1
#define HAVE_GETOPT_LONG 1
#define HAVE_INTTYPES_H 1
#define HAVE_PREAD 1
#define HAVE_PREADV 1
#define HAVE_STDBOOL_H 1
#define HAVE_SYSCONF 1
#define PACKAGE "memcached"
#define VERSION "of Debian"
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <inttypes.h>
#include <stdbool.h>
