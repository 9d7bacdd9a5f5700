# shellcheck shell=bash disable=SC2034  # variables for the tests
# Sourced by every test here. Gives it an empty current folder, the two drivers as $CC and $CXX, the
# shared sources in $sources, and the checks below. The first thing that is not as expected ends the test.
#
# A test needs BIGFOOT_BUILD (a build folder) and PLAIN_CLANG (the clang underneath) from CTest.
set -euo pipefail

tests=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(dirname "$(dirname "$tests")")
sources=$tests/sources
# Where the reports on the shared sources have to point.
race=counter.c:$(grep -n 'the race' "$sources/counter.c" | cut -d: -f1)
bin=$BIGFOOT_BUILD/bin
CC=$bin/bigfoot-clang
CXX=$bin/bigfoot-clang++
export CC CXX

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME=$work/.cache

fail() {
  printf 'FAILED (%s:%s): %s\n' "${BASH_SOURCE[1]##*/}" "${BASH_LINENO[0]}" "$*"
  exit 1
}

# Runs a command; its exit code must be the first argument. Output is left in out and err.
expect_exit() {
  local expected=$1 got=0
  shift
  "$@" >out 2>err </dev/null || got=$?
  [[ $got -eq $expected ]] || {
    cat out err
    fail "exit code $got instead of $expected: $*"
  }
}

# The program reports a race (and only that makes it fail), naming each of the given texts.
expect_race() {
  local program=$1 text
  shift
  expect_exit 66 "$program"
  grep -q 'WARNING: BigFoot: data race' err || fail "no report from $program"
  for text in "$@"; do grep -qF -- "$text" err || { cat err; fail "the report does not name $text"; }; done
}

# The program runs to its end without a word.
expect_silent() {
  expect_exit 0 "$@"
  [[ ! -s err ]] || { cat err; fail "not silent: $*"; }
}

# The command is refused with one line that has the given text, and leaves no file `out_file`.
expect_refusal() {
  local code=$1 text=$2
  shift 2
  expect_exit "$code" "$@"
  [[ $(wc -l <err) -eq 1 ]] || { cat err; fail "not one line: $*"; }
  grep -qF -- "$text" err || { cat err; fail "does not say '$text': $*"; }
}

# Compiles without a word: no unused argument, no linker note.
expect_clean() {
  expect_exit 0 "$@"
  [[ ! -s err ]] || { cat err; fail "warns: $*"; }
}
