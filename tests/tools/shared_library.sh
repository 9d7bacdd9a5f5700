#!/usr/bin/env bash
# A race inside a shared library is found; the library carries no run time of its own and may be linked
# with -z defs, which every spelling of it would otherwise make fail.
. "$(dirname "$0")/support.sh"

for twin in RACY LOCKED; do
  expect_clean "$CC" -D$twin -fPIC -shared "$sources/counter.c" -o libcounter-$twin.so
  expect_clean "$CC" "$sources/main.c" -L. -lcounter-$twin -Wl,-rpath,"$work" -o $twin
done
expect_race ./RACY "$race"
expect_silent ./LOCKED
! nm -D --defined-only libcounter-RACY.so | grep -q __bf_ || fail "the library defines the run time"

for strict in -Wl,-z,defs -Wl,--no-undefined '-Xlinker --no-undefined' '-z defs'; do
  for linker in bfd lld; do
    # shellcheck disable=SC2086  # an option of two words
    expect_clean "$CC" -fuse-ld=$linker -DRACY -fPIC -shared "$sources/counter.c" $strict -o libcounter-RACY.so
    expect_race ./RACY "$race"
  done
done
