#!/usr/bin/env bash
# bigfoot run: compiles, runs, passes arguments, exit code and signals; compiles again only when needed.
. "$(dirname "$0")/support.sh"

cp "$sources"/* .
bigfoot=$bin/bigfoot
expect_exit 66 "$bigfoot" run main.cpp counter.c -DRACY
grep -q "$race" err || fail "no line in the report"
# A compile of more than a second may say so; the program itself says nothing.
expect_exit 0 "$bigfoot" run main.cpp counter.c -DLOCKED
expect_silent "$bigfoot" run main.cpp counter.c -DLOCKED

cat >echo.c <<'SOURCE'
#include <stdio.h>
#include "value.h"
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) puts(argv[i]);
  return VALUE;
}
SOURCE
echo '#define VALUE 7' >value.h
expect_exit 7 "$bigfoot" run -O2 echo.c -- -x 'two words' --
[[ $(cat out) == $'-x\ntwo words\n--' ]] || fail "arguments are not passed on"

# Unchanged: no compiler is needed. Changed, even only in a header: it is.
expect_exit 7 env PATH=/nowhere "$bigfoot" run -O2 echo.c
count() { find "$XDG_CACHE_HOME" -name echo -type f | wc -l; }
[[ $(count) -eq 1 ]] || fail "compiled again without need"
echo '#define VALUE 8' >value.h
expect_exit 8 "$bigfoot" run -O2 echo.c
[[ $(count) -eq 2 ]] || fail "not compiled again"

printf '#include <signal.h>\nint main(void) { return raise(SIGTERM); }\n' >signal.c
(expect_exit 143 "$bigfoot" run signal.c) 2>/dev/null || fail "the signal is not passed on"

# Errors of the compiler are shown, with its exit code, and nothing is kept.
echo 'int main( {' >broken.c
expect_exit 1 "$bigfoot" run broken.c
grep -q 'broken.c:1:' err || fail "the compiler's message is not shown"
! find "$XDG_CACHE_HOME" -name 'new-*' | grep . || fail "leaves its folder behind"
