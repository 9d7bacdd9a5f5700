#!/usr/bin/env bash
# --bigfoot-rt=check links the run time that checks itself.
. "$(dirname "$0")/support.sh"

"$CC" -### --bigfoot-rt=check main.o 2>commands || true
grep -q libbigfoot_rt_check.a commands || fail "another run time"
for twin in RACY LOCKED; do
  expect_clean "$CC" --bigfoot-rt=check -D$twin "$sources/main.c" "$sources/counter.c" -o $twin
done
expect_race ./RACY "$race"
expect_silent ./LOCKED
