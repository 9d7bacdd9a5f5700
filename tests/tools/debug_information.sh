#!/usr/bin/env bash
# Reports name lines without -g; what the user says about -g is obeyed.
. "$(dirname "$0")/support.sh"

sections() {
  "$CC" "$@" -c "$sources/counter.c" -o counter.o
  readelf -SW counter.o
}
[[ $(sections) == *.debug_line* ]] || fail "no line table"
[[ $(sections -g0) != *.debug_line* ]] || fail "a line table in spite of -g0"

# Only -g describes variables.
has_variables() { [[ $(llvm-dwarfdump-22 counter.o) == *DW_TAG_variable* ]]; }
sections >/dev/null
! has_variables || fail "more than line tables"
sections -g >/dev/null
has_variables || fail "-g has no effect"
