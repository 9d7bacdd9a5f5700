#!/usr/bin/env bash
# What a source prepared for ThreadSanitizer says is heeded, and nothing of ThreadSanitizer comes along.
. "$(dirname "$0")/support.sh"

cat >feature.c <<'SOURCE'
#if !__has_feature(thread_sanitizer)
#error the feature is not there
#endif
SOURCE
expect_clean "$CC" -c feature.c

# Its own switch is accepted and replaced.
expect_clean "$CC" -fsanitize=thread -DRACY "$sources/main.c" "$sources/counter.c" -o main
expect_race ./main "$race"
nm main >symbols
! grep -q '__tsan_read4\|__tsan_func_entry' symbols || fail "calls of ThreadSanitizer are left"

# Off for a function, a file, a list of files: no report.
cat >quiet.c <<'SOURCE'
#include "counter.h"
static int counter;
__attribute__((no_sanitize("thread"))) void bump(void) { ++counter; }
__attribute__((no_sanitize("thread"))) int counted(void) { return counter; }
SOURCE
expect_clean "$CC" -I"$sources" quiet.c "$sources/main.c" -o quiet
expect_silent ./quiet

expect_clean "$CC" -fno-sanitize=thread -DRACY -c "$sources/counter.c" -o counter.o
expect_clean "$CC" "$sources/main.c" counter.o -o quiet
expect_silent ./quiet

printf '[thread]\nsrc:*/counter.c\n' >ignore.txt
expect_clean "$CC" -fsanitize-ignorelist=ignore.txt -DRACY "$sources/main.c" "$sources/counter.c" -o quiet
expect_silent ./quiet
