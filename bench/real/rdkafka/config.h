/* librdkafka's configuration for the part that is measured: no TLS, no SASL beyond PLAIN, no plug-ins, and only the
 * compression codecs that it brings along. Its own configure script writes such a file.
 *
 * It is included as "../config.h", which is found from the folder src beside it. */
#pragma once

#define WITHOUT_OPTIMIZATION 0
#define ENABLE_DEVEL 0
#define ENABLE_REFCNT_DEBUG 0
#define HAVE_ATOMICS_32 1
#define HAVE_ATOMICS_32_ATOMIC 1
#define HAVE_ATOMICS_64 1
#define HAVE_ATOMICS_64_ATOMIC 1
#define ATOMIC_OP32(OP1, OP2, PTR, VAL) __atomic_##OP1##_##OP2(PTR, VAL, __ATOMIC_SEQ_CST)
#define ATOMIC_OP64(OP1, OP2, PTR, VAL) __atomic_##OP1##_##OP2(PTR, VAL, __ATOMIC_SEQ_CST)
#define WITH_PKGCONFIG 0
#define WITH_HDRHISTOGRAM 1
#define WITH_ZLIB 0
#define WITH_CURL 0
/* WITH_OAUTHBEARER_OIDC is not even 0: rdkafka_conf.c asks whether it is defined, and then wants curl. */
#define WITH_ZSTD 0
#define WITH_LIBDL 1
#define WITH_PLUGINS 0
#define WITH_SNAPPY 1
#define WITH_SOCKEM 0
#define WITH_SSL 0
#define WITH_SASL 0
#define WITH_SASL_SCRAM 0
#define WITH_SASL_OAUTHBEARER 0
#define WITH_SASL_CYRUS 0
#define WITH_LZ4_EXT 0
#define HAVE_REGEX 1
#define HAVE_STRNDUP 1
#define HAVE_RAND_R 1
#define HAVE_PTHREAD_SETNAME_GNU 1
#define WITH_C11THREADS 0
#define WITH_CRC32C_HW 0
#define SOLIB_EXT ".so"
#define BUILT_WITH "LZ4 SNAPPY"
