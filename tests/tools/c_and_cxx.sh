#!/usr/bin/env bash
# C++ and C in one program, linked by the C++ driver, which brings the C++ library.
. "$(dirname "$0")/support.sh"

for twin in RACY LOCKED; do
  expect_clean "$CC" -D$twin -c "$sources/counter.c" -o counter.o
  expect_clean "$CXX" -std=c++20 "$sources/main.cpp" counter.o -o $twin
done
expect_race ./RACY "$race"
expect_silent ./LOCKED

# Compiled and linked in one step, by another name of the driver.
ln -s "$CXX" c++
expect_clean ./c++ -x c -DRACY "$sources/counter.c" -x none "$sources/main.cpp" -o one_step
expect_race ./one_step "$race"
