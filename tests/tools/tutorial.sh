#!/usr/bin/env bash
# Every command of docs/tutorial.md, in its order, with the files it shows: exit codes and outputs as it says.
. "$(dirname "$0")/support.sh"

export PATH=$bin:$PATH
unset CC CXX
python3 "$root/tests/tools/walk.py" "$root/docs/tutorial.md" "$PLAIN_CLANG"
