#!/usr/bin/env bash
# Full and thin LTO, in one step, in separate steps and through an archive. Whatever the linker inlines, stacks are
# whole, and no frame is in them twice.
. "$(dirname "$0")/support.sh"

for lto in -flto -flto=thin; do
  for twin in RACY LOCKED; do
    expect_clean "$CC" $lto -O2 -D$twin -c "$sources/counter.c" -o counter.o
    expect_clean "$CXX" $lto -O2 -c "$sources/main.cpp" -o main.o
    expect_clean "$CXX" $lto -O2 main.o counter.o -o separate-$twin
    expect_clean "$CC" $lto -O2 -D$twin "$sources/counter.c" "$sources/main.c" -o one-step-$twin
    rm -f libcounter.a
    /usr/bin/env llvm-ar-22 rcs libcounter.a counter.o
    expect_clean "$CXX" $lto -O2 main.o libcounter.a -o archive-$twin
  done
  for program in separate one-step archive; do
    expect_race ./$program-RACY "$race"
    [[ $program == one-step ]] && callers=("work $sources/main.c:8:" "main $sources/main.c:15:") ||
      callers=("_M_run() " "main $sources/main.cpp:9:")
    for caller in "${callers[@]}"; do
      [[ $(grep -cF "$caller" err) -eq 1 ]] || { cat err; fail "$caller is not in the stacks, or twice"; }
    done
    expect_silent ./$program-LOCKED
  done
done
