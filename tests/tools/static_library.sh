#!/usr/bin/env bash
# A race inside a static library is found with its line.
. "$(dirname "$0")/support.sh"

for twin in RACY LOCKED; do
  expect_clean "$CC" -D$twin -c "$sources/counter.c" -o counter.o
  rm -f libcounter.a
  ar rcs libcounter.a counter.o
  expect_clean "$CC" "$sources/main.c" -L. -lcounter -o $twin
done
expect_race ./RACY "$race"
expect_silent ./LOCKED
