#!/usr/bin/env bash
# A missing compiler, plugin or run time: one line that names it, and a shell's code for "not found". One that
# is there but is not what it should be: one line, too.
. "$(dirname "$0")/support.sh"

expect_refusal 127 "/no/such/clang" env BIGFOOT_CLANG=/no/such/clang "$CC" -c "$sources/counter.c"
expect_refusal 127 "BIGFOOT_CLANG" env BIGFOOT_CLANG=no-such-clang "$CXX" --version
expect_refusal 1 "/bin/true: it is not clang" env BIGFOOT_CLANG=/bin/true "$CC" -c "$sources/counter.c"
cat >other-clang <<'END'
#!/bin/sh
echo "Debian clang version 9.0.1"
END
chmod +x other-clang
expect_refusal 1 "it is clang 9" env BIGFOOT_CLANG=./other-clang "$CC" -c "$sources/counter.c"
expect_clean env BIGFOOT_CLANG="$PLAIN_CLANG" "$CC" -c "$sources/counter.c"

mkdir -p tree/bin tree/lib
cp "$CC" tree/bin/bigfoot-clang
expect_refusal 127 "libbigfoot_pass.so" tree/bin/bigfoot-clang -c "$sources/counter.c"
cp "$BIGFOOT_BUILD/lib/libbigfoot_pass.so" tree/lib
expect_clean tree/bin/bigfoot-clang -c "$sources/counter.c"
head -c 100000 "$BIGFOOT_BUILD/lib/libbigfoot_pass.so" >tree/lib/libbigfoot_pass.so
expect_refusal 1 "damaged: $PWD/tree/lib/libbigfoot_pass.so" tree/bin/bigfoot-clang -c "$sources/counter.c"
: >tree/lib/libbigfoot_pass.so
expect_refusal 1 "damaged" tree/bin/bigfoot-clang -c "$sources/counter.c"
cp "$BIGFOOT_BUILD/lib/libbigfoot_pass.so" tree/lib
expect_refusal 127 "libbigfoot_rt.a" tree/bin/bigfoot-clang counter.o
expect_clean tree/bin/bigfoot-clang --version
