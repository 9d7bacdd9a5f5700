#!/usr/bin/env bash
# bigfoot report: runs and shards merge to one race, symbolised during or after the run; SARIF passes its schema,
# JUnit is XML; what cannot be read is named and the rest kept.
. "$(dirname "$0")/support.sh"

report=("$bin/bigfoot" report)
expect_clean "$CC" -g -DRACY "$sources/main.c" "$sources/counter.c" -pthread -o racy
BIGFOOT_OPTIONS="json_path=named.json" expect_exit 66 ./racy
BIGFOOT_OPTIONS="json_path=bare.json:symbolize=0" expect_exit 66 ./racy
grep -q counter.c named.json || fail "no names in named.json"
! grep -q counter.c bare.json || fail "names in spite of symbolize=0"

# Names found afterwards make it the same race.
expect_exit 0 "${report[@]}" named.json bare.json
grep -qF "BigFoot: 1 report (2 records read" out || { cat out; fail "not merged"; }
expect_exit 0 "${report[@]}" bare.json
grep -qF "$race" out || { cat out; fail "not symbolised"; }
expect_exit 0 "${report[@]}" --no-symbolize bare.json named.json
grep -qF "BigFoot: 2 reports" out || fail "symbolised in spite of --no-symbolize"

# A program that was built again has other addresses; wrong names are worse than none.
cp racy kept
"$CC" -g -O2 -DRACY -DANOTHER "$sources/main.c" "$sources/counter.c" -pthread -Wl,--build-id=0x1234 -o racy
expect_exit 0 "${report[@]}" bare.json
grep -q "racy has changed since the run" err || { cat err; fail "another program was symbolised"; }
mv kept racy

expect_exit 0 "${report[@]}" named.json bare.json --sarif races.sarif --junit races.xml --json merged.json --source-root "$root"
python3 "$root/tests/report/validate_sarif.py" races.sarif || fail "not SARIF 2.1.0"
python3 - races.sarif races.xml <<'PY' || fail "the outputs do not say what was found"
import json, sys, xml.etree.ElementTree as ET
result, = json.load(open(sys.argv[1]))["runs"][0]["results"]
assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "tests/tools/sources/counter.c", result
assert result["occurrenceCount"] == 2
suite = ET.parse(sys.argv[2]).getroot().find("testsuite")
assert suite.get("failures") == "1" and "counter.c" in suite.find("testcase/failure").text
PY
# The validator can fail.
sed 's/"level": "error"/"level": "terrible"/' races.sarif >broken.sarif
python3 "$root/tests/report/validate_sarif.py" broken.sarif >/dev/null && fail "the schema takes anything"

# The merged file is as good as the originals.
expect_exit 0 "${report[@]}" merged.json
grep -qF "BigFoot: 1 report (1 record read" out || fail "merged.json is not what was merged"
expect_exit 66 "${report[@]}" --fail merged.json

# Generated suppressions hide what they were made from, in the tool and in the program; the unused are listed.
expect_exit 0 "${report[@]}" merged.json --gen-suppressions supp.txt
echo 'race_variable:nobody' >>supp.txt
expect_exit 0 "${report[@]}" --fail merged.json --suppressions supp.txt --unused-suppressions
grep -qF "BigFoot: 0 reports" out || { cat out; fail "not suppressed"; }
[[ $(grep -c 'unused: ' err) -eq 1 ]] && grep -q 'unused: race_variable:nobody' err || { cat err; fail "unused ones"; }
BIGFOOT_OPTIONS=suppressions=supp.txt expect_exit 0 ./racy
expect_exit 0 "${report[@]}" merged.json --gen-suppressions old.txt --until 2001-02-03
BIGFOOT_OPTIONS=suppressions=old.txt expect_exit 66 ./racy
grep -qE 'fingerprint:[0-9a-f]{16} expired after 2001-02-03 and would have hidden 1 report' err || { cat err; fail "expiry"; }

expect_exit 2 "${report[@]}" merged.json --gen-suppressions new.txt --until 2027-02-30
[[ $(cat err) == "bigfoot report: error: --until needs a day as YYYY-MM-DD" && ! -e new.txt ]] || { cat err; fail "a day that is none"; }
grep -q '^# or, .* made by racy: race_library:/racy\$$' supp.txt || { cat supp.txt; fail "the suppression of the program"; }

# No output replaces an input or another output.
cp merged.json kept.json
expect_exit 2 "${report[@]}" merged.json --json ./merged.json
grep -q 'json ./merged.json would replace the input' err && cmp -s merged.json kept.json || { cat err; fail "the input is gone"; }
expect_exit 2 "${report[@]}" merged.json --text - --sarif -
grep -qF -- '--sarif - would replace --text' err || { cat err; fail "two outputs in one"; }
expect_exit 0 "${report[@]}" merged.json --text /dev/null --sarif /dev/null

# The field is known during and after the run, and hidden by its name; without -g it is not known.
for level in -O0 -O2; do
  rm -f field.json
  expect_clean "$CXX" -g $level "$root/examples/bank.cpp" -pthread -o bank
  BIGFOOT_OPTIONS="json_path=field.json:symbolize=0" expect_exit 66 ./bank
  expect_exit 0 "${report[@]}" field.json
  grep -qF "Field is 'Account::balance_'." out || { cat out; fail "no field at $level"; }
  echo 'race_field:^Account.balance_$' >field.txt
  BIGFOOT_OPTIONS=suppressions=field.txt expect_exit 0 ./bank
  expect_exit 0 "${report[@]}" --fail field.json --suppressions field.txt
  strip --remove-section=.bigfoot_fields bank
  BIGFOOT_OPTIONS=suppressions=field.txt expect_exit 66 ./bank
done
expect_clean "$CXX" "$root/examples/bank.cpp" -pthread -o bank
expect_exit 66 ./bank
! grep -q "Field is" err || fail "a field without types"

# Truncated, garbled, of another version: named; the rest is kept.
head -c 700 named.json >broken.json
echo 'garbage' >>broken.json
sed 's/"version":[0-9]*/"version":99/' merged.json >>broken.json
expect_exit 1 "${report[@]}" broken.json merged.json
[[ $(grep -c 'bigfoot report: error: broken.json:' err) -eq 2 ]] || { cat err; fail "problems are not named"; }
grep -q 'use a newer bigfoot' err || fail "the version is not named"
grep -qF "BigFoot: 1 report (1 record read" out || { cat out; fail "the good record was lost"; }

expect_refusal 2 'FILE is required' "${report[@]}"
expect_refusal 1 'nothing.json: cannot be read' "${report[@]}" nothing.json
expect_refusal 1 'cannot write /nowhere/x' "${report[@]}" merged.json --sarif /nowhere/x
expect_refusal 2 "unknown suppression type 'sun'" "${report[@]}" merged.json --suppressions <(echo sun:shine)
