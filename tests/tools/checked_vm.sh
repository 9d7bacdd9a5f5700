#!/usr/bin/env bash
# The managed run time compiled with checks: everything it does for itself is an instrumented access or a
# lock the detector sees, and only its untracked regions keep that apart from what its program does. With
# them, verdicts equal the oracle's and nothing is reported of the run time; without them, they do not.
. "$(dirname "$0")/support.sh"

examples=$root/examples/managed
# The command line and the language's text are read before the run time begins.
rest=("$BIGFOOT_BUILD/tools/vm/CMakeFiles/bigfoot-vm.dir/vm_entry.cpp.o"
  "$BIGFOOT_BUILD"/{tools/vm/libbigfoot_vm_tool,frontends/bfj/libbigfoot_bfj,analysis/libbigfoot_ir,analysis/libbigfoot_logic}.a)

cat >without_regions.h <<'H'
#include "bigfoot/lard.h"
#define bf_lard_untracked_begin(what) ((void)(what))
#define bf_lard_untracked_end(what) ((void)(what))
H
mkdir with without
compile() {
  [[ $(jobs -r | wc -l) -lt $(nproc) ]] || wait -n || fail "it does not compile"
  "$CXX" -std=c++20 -O2 -I "$root" -I "$root/include" "$@" &
}
for file in "$root"/frontends/bfj/vm/*.cpp; do
  name=$(basename "$file" .cpp)
  if [[ $name == lard_monitor ]]; then
    compile -c "$file" -o with/$name.o
    compile -include without_regions.h -c "$file" -o without/$name.o
  else
    compile -c "$file" -o "$name.o"
  fi
done
while [[ -n $(jobs) ]]; do wait -n || fail "it does not compile"; done
[[ $(nm interpreter.o | grep -c 'U __bf_check_') -gt 0 ]] || fail "the run time has no checks"
expect_clean "$CXX" ./*.o with/*.o "${rest[@]}" -o vm
expect_clean "$CXX" ./*.o without/*.o "${rest[@]}" -o vm_without_regions

for program in "$examples"/*.bfj; do
  name=$(basename "$program" .bfj)
  case $name in racy_* | sleepy_* | tree) code=66 ;; *) code=0 ;; esac
  for collector in semispace concurrent; do
    expect_exit $code ./vm --oracle --collector "$collector" --collect-every 3 --quantum 7 --always-migrate "$program"
    [[ ! -s err ]] || { cat err; fail "$name, $collector: a report about the run time itself"; }
    grep -q ', the same$' out || fail "$name, $collector: no word of the oracle"
    ! grep -q '^data race:' out || [[ $code -eq 66 ]] || { cat out; fail "$name, $collector: a false race"; }
  done
done
expect_exit 66 ./vm --on-race throw "$examples/sleepy_reader.bfj"
[[ $(grep -c 'uncaught data-race exception' out) -eq 1 ]] || { cat out; fail "not one exception"; }

# One worker, whose schedule is always the same: the run time's locks order the program. (Whatever else it
# finds, in its own data, decides the exit code.)
timeout 60 ./vm_without_regions --oracle --workers 1 --collector marksweep --quantum 7 "$examples/sleepy_reader.bfj" \
  >out 2>err || true
grep -q '^NOT PRECISE: missed f.ready$' out || { cat out; fail "the regions are not needed for this"; }
