#!/usr/bin/env bash
# Objects compiled one by one, linked later, at every optimisation level: the race is found, its twin is
# silent.
. "$(dirname "$0")/support.sh"

for level in -O0 -O1 -O2 -O3 -Os; do
  for twin in RACY LOCKED; do
    expect_clean "$CC" $level -D$twin -c "$sources/counter.c" -o counter.o
    expect_clean "$CC" $level -c "$sources/main.c" -o main.o
    expect_clean "$CC" main.o counter.o -o $twin
  done
  expect_race ./RACY "$race"
  expect_silent ./LOCKED
done
