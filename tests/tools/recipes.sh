#!/usr/bin/env bash
# Every recipe of docs/recipes.md, with the files it shows, on a project with a racy test and a correct one.
. "$(dirname "$0")/support.sh"

expect_exit 0 cmake --install "$BIGFOOT_BUILD" --prefix "$work/prefix"
export PATH=$work/prefix/bin:$PATH
unset CC CXX
mkdir project
cd project
cp "$sources"/counter.[ch] "$sources/main.c" .
cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.21)
project(sample C)
find_package(Threads REQUIRED)
enable_testing()
add_library(my_library STATIC counter.c)
add_executable(my_test main.c)
target_link_libraries(my_test PRIVATE my_library Threads::Threads)
target_compile_definitions(my_library PRIVATE RACY)
if(SINGLE)
  include(single.cmake)
else()
  add_executable(correct main.c counter.c)
  target_compile_definitions(correct PRIVATE LOCKED)
  target_link_libraries(correct PRIVATE Threads::Threads)
  add_test(NAME my_test COMMAND my_test)
  add_test(NAME correct COMMAND correct)
endif()
PROJECT
cat >meson.build <<'PROJECT'
project('sample', 'c')
threads = dependency('threads')
test('my_test', executable('my_test', 'main.c', 'counter.c', c_args: '-DRACY', dependencies: threads))
test('correct', executable('correct', 'main.c', 'counter.c', c_args: '-DLOCKED', dependencies: threads))
PROJECT
python3 "$root/tests/tools/walk.py" "$root/docs/recipes.md" "$PLAIN_CLANG" || fail "a recipe"
python3 -c 'import xml.etree.ElementTree as E; assert E.parse("races.xml").getroot().find("testsuite").get("failures") == "1"' ||
  fail "JUnit"

# Single targets, in a build by another compiler.
expect_exit 0 cmake -G Ninja -S . -B single -DSINGLE=ON -DCMAKE_C_COMPILER="$PLAIN_CLANG" -DCMAKE_PREFIX_PATH="$work/prefix"
expect_exit 0 cmake --build single
expect_exit 8 ctest --test-dir single
expect_exit 0 bigfoot report single/bigfoot-races.json
grep -qF "BigFoot: 1 report" out || { cat out; fail "single targets"; }

# The job's own commands, but for the installation; it has to fail with the race and leave what is uploaded.
sed -n 's/^ *- run: //p' races.yml | grep -v apt-get >steps
[[ $(wc -l <steps) -eq 4 ]] || { cat steps; fail "the job has other steps"; }
json=$(sed -n 's/.*BIGFOOT_OPTIONS: "json_path=\(.*\)"}.*/\1/p' races.yml)
[[ -n $json ]] || fail "the job writes no records"
sed "s|$json|$work/job.json|g" steps >job
while read -r step; do
  got=0
  BIGFOOT_OPTIONS=json_path=$work/job.json bash -euc "$step" >out 2>err || got=$?
  case $step in *--fail) wanted=66 ;; *) wanted=0 ;; esac
  [[ $got -eq $wanted ]] || { cat out err; fail "'$step' ended with $got"; }
done <job
python3 "$root/tests/report/validate_sarif.py" races.sarif || fail "not SARIF"
grep -q counter.c races.sarif races.html || fail "the outputs are empty"
