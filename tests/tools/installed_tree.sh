#!/usr/bin/env bash
# The tools work from where `cmake --install` puts them.
. "$(dirname "$0")/support.sh"

expect_exit 0 cmake --install "$BIGFOOT_BUILD" --prefix "$work/prefix"
CC=$work/prefix/bin/bigfoot-clang
[[ $("$CC" -### -c "$sources/counter.c" 2>&1) == *"$work/prefix/lib/libbigfoot_pass.so"* ]] || fail "another plugin"
for twin in RACY LOCKED; do
  expect_clean "$CC" -D$twin "$sources/main.c" "$sources/counter.c" -o $twin
done
expect_race ./RACY "$race"
expect_silent ./LOCKED
expect_exit 66 prefix/bin/bigfoot run -x c++ "$sources/main.cpp" -x c "$sources/counter.c"
