#!/bin/sh
# The run time's side of verification, on logs written by hand: each violation is found, its twin is not.
#
#   verifier.sh FOLDER-OF-THE-DRIVERS FOLDER-TO-WORK-IN
set -eu
here=$(cd "$(dirname "$0")" && pwd)
driver=$1/bigfoot-clang
mkdir -p "$2"
cd "$2"

# Without instrumentation: the only accesses and checks are those the program tells itself.
"$driver" -g -fno-sanitize=thread "$here/log_by_hand.c" -o log_by_hand -pthread

failed=0
for scenario in $(./log_by_hand names); do
  case $scenario in
    bad_*) wanted=67 ;;
    *) wanted=0 ;;
  esac
  code=0
  BIGFOOT_OPTIONS=stats=1 ./log_by_hand "$scenario" 2>"$scenario.err" || code=$?
  if [ "$code" != "$wanted" ]; then
    echo "$scenario: exit code $code, expected $wanted"
    cat "$scenario.err"
    failed=1
  fi
  if [ "$wanted" = 67 ] && ! grep -q "log_by_hand.c:[0-9]*" "$scenario.err"; then
    echo "$scenario: the report does not name the source line"
    cat "$scenario.err"
    failed=1
  fi
  if ! grep -q "verified_accesses [1-9]" "$scenario.err"; then
    echo "$scenario: nothing was verified"
    failed=1
  fi
done
exit $failed
