#!/usr/bin/env bash
# The report shown in the README is the one its first command prints: every position it names is still there.
# (Addresses, ids and which thread comes first differ from run to run.)
. "$(dirname "$0")/support.sh"

positions() { grep -oE 'examples/bank\.cpp:[0-9]+:[0-9]+' | sort -u; }
sed -n '/<!-- report of/,/^SUMMARY/p' "$root/README.md" | positions >shown
[[ $(wc -l <shown) -ge 4 ]] || fail "no report found in the README"

cd "$root"
got=0
"$bin/bigfoot" run examples/bank.cpp >/dev/null 2>"$work/err" || got=$?
[[ $got -eq 66 ]] || fail "exit code $got instead of 66"
cd "$work"
positions <err >printed
comm -23 shown printed >gone
[[ ! -s gone ]] || fail "the README shows positions the report does not have: $(tr '\n' ' ' <gone)"
