#!/usr/bin/env bash
# scripts/build on a small tree with stand-ins for cmake and ninja: it builds when something has changed,
# starts at once when nothing has, and never twice at the same time.
. "$(dirname "$0")/support.sh"

mkdir -p tree/scripts tree/part stub
cp "$root/scripts/build" tree/scripts/
touch tree/part/source.cpp tree/part/README.md
cat >stub/cmake <<'SCRIPT'
#!/bin/bash
echo configure >>"$LOG"
while [[ $1 != -S ]]; do shift; done
[[ ! -e $2/broken ]] || { echo "CMake Error: broken"; exit 1; }
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" >"$4/CMakeCache.txt"
touch "$4/build.ninja"
SCRIPT
cat >stub/ninja <<'SCRIPT'
#!/bin/bash
echo "ninja ${*:3}" >>"$LOG"
if [[ -p $HOLD ]]; then read -r <"$HOLD"; fi
[[ ! -e fail ]]
SCRIPT
chmod +x stub/*
export PATH=$work/stub:$PATH LOG=$work/log HOLD=$work/hold
log() { tr '\n' ';' <log; : >log; }
: >log
script=$work/tree/scripts/build
build() { "$script" "$@"; }

expect_exit 0 build all
[[ $(log) == 'configure;ninja all;' ]] || fail "first build"
expect_silent build all
[[ $(log) == '' ]] || fail "builds again without need"
expect_exit 0 build tools
[[ $(log) == 'ninja tools;' ]] || fail "another target is another build"

# A time the stamp can not share: a minute from now.
touch -d '+1 minute' tree/part/source.cpp
expect_exit 0 build all
[[ $(log) == 'ninja all;' ]] || fail "a changed file is not seen"
touch tree/part/source.cpp
expect_exit 0 build all
: >log
touch -d '+1 minute' tree/part/README.md
expect_silent build all
[[ $(log) == '' ]] || fail "documentation is not built"
rm tree/part/source.cpp
touch -d '+1 minute' tree/part
expect_exit 0 build all
[[ $(log) == 'ninja all;' ]] || fail "a deleted file is not seen"
touch tree/part

# A failed build is tried again, and says so last.
touch fail tree/part/new.cpp
touch -d '+1 minute' tree/part/new.cpp
expect_exit 1 build all
[[ $(tail -n 1 err) == 'bigfoot build: error: the build failed' ]] || fail "$(cat err)"
rm fail
touch tree/part/new.cpp
: >log
expect_exit 0 build all
[[ $(log) == 'ninja all;' ]] || fail "a failed build counts as done"

# A moved tree configures anew; a failed configuration shows CMake's message.
mv tree moved
ln -s moved/scripts link
script=$work/link/build
expect_exit 0 build other
[[ $(log) == 'configure;ninja other;' ]] || fail "a moved tree keeps its old configuration"
touch moved/broken
rm moved/build/build.ninja
expect_exit 1 build all
grep -q 'CMake Error: broken' err || fail "CMake's message is not shown"
rm moved/broken
expect_exit 0 build all

# Two at a time: the second waits until the first is done, then has nothing left to do.
: >log
mkfifo hold note
touch -d '-1 minute' moved/build/.built-all
build all 2>first.err &
first=$!
until grep -q ninja log; do read -r -t 0.05 <>note || true; done
build all 2>second.err &
second=$!
until grep -q 'waiting for another build' second.err; do read -r -t 0.05 <>note || true; done
echo go >hold
wait $first || fail "first build"
wait $second || fail "second build"
[[ $(grep -c ninja log) -eq 1 ]] || fail "built twice: $(log)"
