#!/usr/bin/env bash
# A file that can not be written: one line that names it, and an exit code that tells. What is certain when the
# program starts is said then, before the program does anything.
. "$(dirname "$0")/support.sh"

for twin in RACY LOCKED; do
  expect_clean "$CC" -D$twin "$sources/main.c" "$sources/counter.c" -o $twin
done

for option in log_path json_path stats_path; do
  expect_refusal 64 "$option: cannot write to '/no/such/folder/name" \
    env BIGFOOT_OPTIONS="$option=/no/such/folder/name" ./RACY
done

for option in json_path stats_path; do # a disk that is full when the program ends
  expect_exit 74 env BIGFOOT_OPTIONS="$option=/dev/full" ./LOCKED
  grep -q '/dev/full' err || fail "nothing said of $option"
done
