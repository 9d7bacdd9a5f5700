#!/usr/bin/env bash
# Response files, standard input, -x, precompiled headers, bitcode.
. "$(dirname "$0")/support.sh"

# A response file, with our own options in it, longer than a command line may be.
{
  printf -- '--detector=fasttrack -fsanitize=thread -DRACY "%s" '\''%s'\'' -o\nprogram\n' \
    "$sources/main.c" "$sources/counter.c"
  for ((i = 0; i < 60000; ++i)); do printf -- '-DUNUSED_%032d=%d\n' $i $i; done
} >arguments
[[ $(wc -c <arguments) -gt 2500000 ]] || fail "not long enough to prove it"
expect_clean "$CC" @arguments
expect_race ./program "$race"

# Standard input, its language by -x.
cat "$sources/main.c" "$sources/counter.c" >all
"$CC" -I"$sources" -DRACY -x c - -o program <all || fail "standard input"
expect_race ./program

# A precompiled header, made and used with the same options.
expect_clean "$CXX" -x c++-header "$sources/counter.h" -o counter.h.pch
expect_clean "$CXX" -include-pch counter.h.pch -c "$sources/main.cpp" -o main.o
expect_clean "$CXX" main.o -x c "$sources/counter.c" -o program
expect_race ./program "$race"

# Bitcode that has its checks already gets them only once; LLVM warns, as it does for its own sanitizers.
expect_clean "$CC" -O1 -DRACY -c -emit-llvm "$sources/counter.c" -o counter.bc
expect_clean "$CC" -O1 -DRACY -S "$sources/counter.c" -o once.s
expect_exit 0 "$CC" -O1 -S counter.bc -o again.s
calls() { grep -c 'call.*__bf_' "$1" || true; }
# Optimising again may merge calls, never add any.
[[ $(calls again.s) -gt 0 && $(calls again.s) -le $(calls once.s) ]] ||
  fail "$(calls again.s) calls of the run time after $(calls once.s)"
