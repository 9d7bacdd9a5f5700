#!/usr/bin/env bash
# perturb=SEED: the report names the seed and the command that replays it, the record has it, and what is ordered stays
# silent under any schedule. (How many seeds find rare races is measured, not tested: bench/perturb.)
. "$(dirname "$0")/support.sh"

for twin in RACY LOCKED; do
  expect_clean "$CC" -g -D$twin "$sources/main.c" "$sources/counter.c" -pthread -o $twin
done
BIGFOOT_OPTIONS="perturb=7 json_path=races.json" expect_race ./RACY "$race"
replay=$(sed -n 's/^  Schedule seed: 7; again with: //p' err)
[[ $replay == "BIGFOOT_OPTIONS='perturb=7 json_path=races.json' ./RACY" ]] || { cat err; fail "replay: $replay"; }
expect_exit 66 bash -c "$replay"
grep -q 'Schedule seed: 7' err || fail "the replay has another seed"
grep -q '"perturb":7' races.json || fail "the record has no seed"
expect_race ./RACY "$race"
! grep -q 'Schedule seed' err || fail "a seed without perturb"
for seed in 1 2 3 4 5 6; do BIGFOOT_OPTIONS=perturb=$seed expect_silent ./LOCKED; done
BIGFOOT_OPTIONS=perturb=x expect_refusal 64 perturb ./RACY
