#!/usr/bin/env bash
# Wrong use of the command: one line. Right use of help: the whole table.
. "$(dirname "$0")/support.sh"

bigfoot=$bin/bigfoot
expect_refusal 2 "no such command: frobnicate" "$bigfoot" frobnicate
expect_refusal 2 "no file to compile" "$bigfoot" run
expect_refusal 2 "no file to compile" "$bigfoot" run -O2 -- x.c
expect_refusal 2 "available: fasttrack" "$bigfoot" run --detector=frobnicate x.c
expect_refusal 2 "'-o'" "$bigfoot" run x.c -o y
expect_refusal 2 "takes no arguments" "$bigfoot" version now
expect_refusal 2 "no such command: frobnicate" "$bigfoot" help frobnicate
printf 'int main(void) { return 0; }\n' >x.c
touch file
expect_refusal 127 "file" env XDG_CACHE_HOME="$work/file" "$bigfoot" run x.c

for way in "" help --help; do
  # shellcheck disable=SC2086  # none or one word
  expect_exit 0 "$bigfoot" $way
  grep -q '^  run ' out || fail "help does not list run"
done
expect_exit 0 "$bigfoot" help run
grep -q -- --detector out || fail "help of run does not list its options"
expect_exit 0 "$bigfoot" version
grep -q fasttrack out || fail "version does not list the detectors"
