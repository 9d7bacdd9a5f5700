#!/usr/bin/env bash
# The managed run time: verdicts on the example programs equal the oracle's on the same execution, under
# every collector, with a collection at every allocation and threads that migrate; data-race exceptions.
. "$(dirname "$0")/support.sh"

vm=$bin/bigfoot-vm
examples=$root/examples/managed

# The number before a word of the last line but one ("360 allocations, 36 collections, ...").
counted() {
  grep -o "[0-9]* $1" out | cut -d' ' -f1
}

total=0
for program in "$examples"/*.bfj; do
  name=$(basename "$program" .bfj)
  case $name in racy_* | sleepy_* | tree) code=66 ;; *) code=0 ;; esac
  for collector in semispace marksweep concurrent; do
    expect_exit $code "$vm" --oracle --collector "$collector" --collect-every 1 --quantum 7 --always-migrate "$program"
    # Each program has a thread that needs more than one turn, and the next one is on another worker.
    [[ $(counted migrations) -ge 1 ]] || { cat out; fail "$name, $collector: no thread has migrated"; }
    [[ ! -s err ]] || { cat err; fail "$name, $collector: a report about the run time itself"; }
    grep -q ', the same$' out || fail "$name, $collector: no word of the oracle"
    if [[ $code -eq 0 && $collector == semispace ]]; then total=$((total + $(counted collections))); fi
  done
done
[[ $total -ge 1000 ]] || fail "only $total collections that move objects in race-free programs"

# A heap so small that only collections make room: the concurrent collector has to keep up.
expect_exit 0 "$vm" --oracle --collector concurrent --heap 8192 "$examples/list_builder.bfj"
[[ $(counted collections) -ge 10 ]] || { cat out; fail "the concurrent collector did not run"; }

# Without the recorder, which makes one thread wait for another.
expect_exit 0 "$vm" --collect-every 1 "$examples/queue.bfj"
expect_exit 66 "$vm" --collect-every 1 "$examples/sleepy_reader.bfj"
grep -q '^racy: f.ready$' out || { cat out; fail "the racy field is not named"; }
grep -q '^data race: .* at .*sleepy_reader.bfj:[0-9]*:' out || fail "the race has no place"

# Exceptions: the second access does not happen. Uncaught, it ends its thread; caught, the thread goes on.
expect_exit 66 "$vm" --on-race throw "$examples/sleepy_reader.bfj"
[[ $(grep -c 'uncaught data-race exception' out) -eq 1 ]] || { cat out; fail "not one exception"; }
cat >caught.bfj <<'BFJ'
class Cell { value, caught; }
class Box { v; }
shared c = new Cell;
shared log = new Cell;
shared w = new Cell;
thread { try { c.value = 1; } catch { acq(log); log.caught = 1; rel(log); } }
thread { try { c.value = 2; } catch { acq(log); log.caught = 1; rel(log); } }
BFJ
expect_exit 66 "$vm" --on-race throw --collect-every 1 caught.bfj
! grep -q uncaught out || { cat out; fail "an exception was not caught"; }
grep -q '^racy: c.value$' out || { cat out; fail "the exception has no cause"; }
# The oracle on such a run: what was refused would have been a race, what was not has none.
for program in "$examples"/*.bfj; do
  case $(basename "$program") in racy_* | sleepy_* | tree.bfj) code=66 ;; *) code=0 ;; esac
  expect_exit $code "$vm" --oracle --on-race throw --collect-every 3 "$program"
  grep -q ', the same$' out || { cat out; fail "$program: no word of the oracle about exceptions"; }
done
expect_exit 0 "$vm" --oracle --on-race trap --collect-every 3 "$examples/locked_counter.bfj"
grep -q '^oracle: 0 racy locations, the same$' out || { cat out; fail "no word of the oracle beside --on-race=trap"; }
expect_exit 133 bash -c "'$vm' --on-race trap '$examples/racy_counter.bfj'"

# A program that cannot go on ends, with a line that says why: here consumers that look again and again for
# what producers have no memory to make (on one worker, whose schedule is always the same).
expect_exit 3 "$vm" --heap 16384 --workers 1 "$examples/queue.bfj"
grep -q '^thread [01]: 8:[0-9]*: out of memory$' out || { cat out; fail "not who met with the full heap"; }
grep -q '^out of memory: .* 16384 bytes' out || { cat out; fail "a full heap is not said"; }
printf 'thread { x = null; y = x.f; }\n' >error.bfj
expect_exit 3 "$vm" error.bfj

# Bad input: one line.
expect_refusal 2 "can not read" "$vm" none.bfj
expect_refusal 2 "can not read ." "$vm" .
expect_refusal 2 "needs at least two workers" "$vm" --always-migrate --workers 1 "$examples/tree.bfj"
expect_refusal 2 "is required" "$vm"
expect_refusal 2 "--no-such-option" "$vm" --no-such-option "$examples/tree.bfj"
expect_refusal 2 "--workers" "$vm" --workers 0 "$examples/tree.bfj"
for number in 99999999999999999999 -1 1x; do
  expect_refusal 2 "'$number' is not a whole number" "$vm" "--collect-every=$number" "$examples/tree.bfj"
  expect_refusal 2 "'$number' is not a whole number" "$vm" "--seed=$number" "$examples/tree.bfj"
done
expect_exit 0 "$vm" --help
printf 'thread { x = ; }\n' >bad.bfj
expect_refusal 2 "bad.bfj:1:" "$vm" bad.bfj
printf 'thread { acq(a); acq(b); acq(a); }\n' >deadlock.bfj
expect_exit 3 "$vm" deadlock.bfj
grep -q '^deadlock: ' out || { cat out; fail "a deadlock is not said"; }
