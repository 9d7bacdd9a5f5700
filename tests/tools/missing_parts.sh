#!/usr/bin/env bash
# A missing compiler, plugin or run time: one line that names it, and a shell's code for "not found".
. "$(dirname "$0")/support.sh"

expect_refusal 127 "/no/such/clang" env BIGFOOT_CLANG=/no/such/clang "$CC" -c "$sources/counter.c"
expect_refusal 127 "BIGFOOT_CLANG" env BIGFOOT_CLANG=no-such-clang "$CXX" --version

mkdir -p tree/bin tree/lib
cp "$CC" tree/bin/bigfoot-clang
expect_refusal 127 "libbigfoot_pass.so" tree/bin/bigfoot-clang -c "$sources/counter.c"
cp "$BIGFOOT_BUILD/lib/libbigfoot_pass.so" tree/lib
expect_clean tree/bin/bigfoot-clang -c "$sources/counter.c"
expect_refusal 127 "libbigfoot_rt.a" tree/bin/bigfoot-clang counter.o
expect_clean tree/bin/bigfoot-clang --version
