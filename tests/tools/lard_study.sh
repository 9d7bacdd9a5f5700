#!/usr/bin/env bash
# The accuracy study. On one OS thread the schedule is always the same: each detector that lacks one of
# LARD's operations is wrong, in the way which that operation prevents. On several, with objects that
# move and threads that migrate, LARD still equals the oracle on every program.
. "$(dirname "$0")/support.sh"

# A program that does not come to its end says nothing about detectors: one line, and no table.
for arguments in "--heap 4096" "none.bfj" "--collect-every 99999999999999999999"; do
  # shellcheck disable=SC2086  # one or two words
  case $arguments in --heap*) code=3 ;; *) code=2 ;; esac
  # shellcheck disable=SC2086
  expect_refusal $code "error: " "$bin/bigfoot" lard-study $arguments
  [[ ! -s out ]] || { cat out; fail "a table before the error: $arguments"; }
done

study() {
  expect_exit 0 "$bin/bigfoot" lard-study --collect-every 10 "$@"
  ! grep -q DIFFERS out || { cat out; fail "LARD differs from the oracle"; }
  rows=$(grep -c ' same$' out)
}

study
[[ $rows -ge 16 ]] || { cat out; fail "only $rows rows"; }
study --collectors concurrent

study --workers 1
# "NoCopy: wrong on 5 of 20 (false races on 0, missed on 5)"
check() {
  local name=$1 falsely=$2 missed=$3 f m
  read -r wrong of f m < <(
    sed -n "s/^$name: wrong on \([0-9]*\) of \([0-9]*\) (false races on \([0-9]*\), missed on \([0-9]*\))$/\1 \2 \3 \4/p" out
  ) || fail "no line for $name"
  [[ $((f > 0)) -eq $falsely && $((m > 0)) -eq $missed ]] ||
    { cat out; fail "$name: false races on $f, missed on $m"; }
  [[ $wrong -ge 1 && $of -eq $rows ]] || { cat out; fail "$name: wrong on $wrong of $of, with $rows rows"; }
}
check AllMem 1 0
check AllSync 0 1
check NoClear 1 0
check NoCopy 0 1
check NoThread 0 1
check Naive 0 1

# With threads that migrate at every turn the naive one reports what is no race, too, and is wrong on most.
study --always-migrate --quantum 7
check Naive 1 1
[[ $((2 * wrong)) -gt $rows ]] || { cat out; fail "the naive detector is wrong on $wrong of $rows only"; }
