#!/usr/bin/env bash
# Position-independent or not, with GNU ld and with lld.
. "$(dirname "$0")/support.sh"

for linker in bfd lld; do
  for layout in "-fPIE -pie" "-fno-pie -no-pie"; do
    for twin in RACY LOCKED; do
      # shellcheck disable=SC2086  # options
      expect_clean "$CC" $layout -fuse-ld=$linker -D$twin "$sources/main.c" "$sources/counter.c" -o $twin
    done
    expect_race ./RACY "$race"
    expect_silent ./LOCKED
  done
done

# Without clang's choice of libraries: the run time brings what it needs itself.
expect_clean "$CC" -nodefaultlibs -DRACY "$sources/main.c" "$sources/counter.c" -lc -o own_libraries
expect_race ./own_libraries "$race"
