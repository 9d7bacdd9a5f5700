#!/bin/sh
# Random traces over a heap block, globals or a mapping, on the run time and on a naive model: see array_traces.cpp.
#
#   array_traces.sh FOLDER-OF-THE-DRIVERS CLANG++ FOLDER-TO-WORK-IN [FIRST COUNT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
driver=$(cd "$1" && pwd)/bigfoot-clang++
clang=$2
work=$3
first=${4:-0}
count=${5:-300}
mkdir -p "$work"
cd "$work"

# The harness is plain code; only the places are instrumented.
flags="-std=c++20 -O2 -g -Wall -Wextra -Werror -pthread -I$source -I$source/include -I$here"
$clang $flags -c "$here/array_traces.cpp" -o traces.o
$clang $flags -c "$here/traced_memory.cpp" -o memory.o
$clang $flags -c "$source/tests/model/last_accesses.cpp" -o model.o

failed=0
for detector in slimstate bigfoot; do
  $driver --detector=$detector $flags -c "$here/array_places.cpp" -o "places-$detector.o"
  $driver --detector=$detector traces.o memory.o model.o "places-$detector.o" -o "traces-$detector" -pthread
  for form in segments table auto; do
    rm -f stats.json
    echo "$detector, array_shadow=$form:"
    BIGFOOT_OPTIONS="array_shadow=$form stats_path=stats.json" "./traces-$detector" "$first" "$count" || failed=1
    # Arrays of both kinds, or it was about something else.
    grep -q '"arrays_fine": [1-9]' stats.json || { echo "no array went to the planes"; failed=1; }
    grep -q '"arrays_\(coarse\|segments\)": [1-9]' stats.json || { echo "no array stayed compressed"; failed=1; }
  done
done
exit $failed
