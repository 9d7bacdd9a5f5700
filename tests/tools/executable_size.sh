#!/usr/bin/env bash
# The run time's state is zero when a program starts, so that it takes no room in the program's file.
. "$(dirname "$0")/support.sh"

echo 'int main(void) { return 0; }' >empty.c
"$CC" -O2 empty.c -o empty
bytes=$(size -A empty | awk '$1 ~ /^\.t?data$/ { sum += $2 } END { print sum }')
[[ $bytes -gt 0 && $bytes -lt 65536 ]] || fail "an empty program has $bytes bytes of initialised data"
