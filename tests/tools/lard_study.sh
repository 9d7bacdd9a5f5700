#!/usr/bin/env bash
# The accuracy study. On one OS thread the schedule is always the same: each detector that lacks one of
# LARD's operations is wrong, in the way which that operation prevents. On several, with objects that
# move and threads that migrate, LARD still equals the oracle on every program.
. "$(dirname "$0")/support.sh"

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
  read -r f m < <(sed -n "s/^$name: .*(false races on \([0-9]*\), missed on \([0-9]*\))$/\1 \2/p" out) ||
    fail "no line for $name"
  [[ $((f > 0)) -eq $falsely && $((m > 0)) -eq $missed ]] ||
    { cat out; fail "$name: false races on $f, missed on $m"; }
}
check AllMem 1 0
check AllSync 0 1
check NoClear 1 0
check NoCopy 0 1
check NoThread 0 1
check Naive 0 1
