#!/bin/sh
# Random traces over heap blocks that are freed and handed out again, on the run time and on a naive model: see
# block_traces.cpp.
#
#   block_traces.sh FOLDER-OF-THE-DRIVERS CLANG++ FOLDER-TO-WORK-IN [FIRST COUNT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
driver=$(cd "$1" && pwd)/bigfoot-clang++
clang=$2
work=$3
first=${4:-0}
count=${5:-100}
mkdir -p "$work"
cd "$work"

# The harness is plain code; only the places are instrumented.
flags="-std=c++20 -O2 -g -Wall -Wextra -Werror -pthread -I$source -I$source/include -I$here"
$clang $flags -c "$here/block_traces.cpp" -o traces.o
$clang $flags -c "$here/traced_memory.cpp" -o memory.o
$clang $flags -c "$source/tests/model/last_accesses.cpp" -o model.o
$clang -x c -O2 -c "$here/turns.c" -o turns.o

failed=0
run() { # DETECTOR SIZES WHEN COUNT OPTIONS
  echo "$1, $2 blocks, ${5:-default options}:"
  BIGFOOT_OPTIONS=$5 "$PWD/traces-$1" "$2" "$3" "$first" "$4" || failed=1
}
for detector in fasttrack bigfoot; do
  for places in array_places block_places; do
    $driver --detector=$detector $flags -c "$here/$places.cpp" -o "$places-$detector.o"
  done
  $driver --detector=$detector traces.o memory.o model.o turns.o "array_places-$detector.o" "block_places-$detector.o" \
    -o "traces-$detector" -pthread
  # A trace over small ones takes a tenth of the time.
  run $detector small at-once $((5 * count)) ""
  run $detector large at-once "$count" array_shadow=off
done
# fasttrack knows no arrays.
rm -f stats.json
run bigfoot large later "$count" stats_path=stats.json
grep -q '"arrays_heap": [1-9]' stats.json || { echo "no block was an array"; failed=1; }
exit $failed
