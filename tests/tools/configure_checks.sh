#!/usr/bin/env bash
# The questions a configure script asks of a compiler get the answers clang would give.
. "$(dirname "$0")/support.sh"

# Does it make executables, what are they called, do they run, what is an object's suffix?
printf 'int main(void) { return 0; }\n' >conftest.c
expect_clean "$CC" conftest.c
expect_silent ./a.out
expect_clean "$CC" -c conftest.c
[[ -f conftest.o ]] || fail "no conftest.o"

# Which functions and libraries are there? Autoconf declares them as it pleases and links.
has_function() {
  printf 'char %s(void); int main(void) { return %s(); }\n' "$1" "$1" >conftest.c
  "$CC" -Wno-builtin-requires-header -Wno-incompatible-library-redeclaration -o conftest conftest.c \
    "${@:2}" >out 2>&1
}
has_function pthread_create || fail "pthread_create is missing"
has_function malloc || fail "malloc is missing"
has_function memcpy || fail "memcpy is missing"
has_function sqrt -lm || fail "sqrt is missing in -lm"
! has_function no_such_function || fail "a function that does not exist is found"
! has_function malloc -lno_such_library || fail "a library that does not exist is found"

# Does it accept an option, and does it refuse one that does not exist?
printf 'int main(void) { return 0; }\n' >conftest.c
expect_clean "$CC" -Werror -fno-strict-aliasing -c conftest.c
expect_exit 1 "$CC" -Werror -fno-such-option -c conftest.c

# Values found by running, and by the preprocessor alone.
printf '#include <stdio.h>\nint main(void) { printf("%%zu", sizeof(long)); return 0; }\n' >conftest.c
expect_clean "$CC" conftest.c -o conftest
[[ $(./conftest) == 8 ]] || fail "wrong size"
[[ $("$CC" -E -dM -x c /dev/null) == *__clang__* ]] || fail "no predefined macros"
