#!/usr/bin/env bash
# find_package(bigfoot) in a project of its own: single targets, tests that fail by a race, a whole build folder.
. "$(dirname "$0")/support.sh"

expect_exit 0 cmake --install "$BIGFOOT_BUILD" --prefix "$work/prefix"
mkdir project
cp "$sources"/* project
cat >project/CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.21)
project(sample C)
find_package(Threads REQUIRED)
find_package(bigfoot 0.1 REQUIRED)
enable_testing()
foreach(twin RACY LOCKED PLAIN)
  add_executable(${twin} main.c counter.c)
  target_compile_definitions(${twin} PRIVATE ${twin})
  target_link_libraries(${twin} PRIVATE Threads::Threads)
endforeach()
bigfoot_instrument(RACY LOCKED)
foreach(twin RACY LOCKED PLAIN)
  bigfoot_add_test(NAME ${twin} COMMAND ${twin})
endforeach()
PROJECT
expect_exit 0 cmake -G Ninja -S project -B build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$PLAIN_CLANG" \
  -DCMAKE_PREFIX_PATH="$work/prefix"
expect_exit 0 ninja -C build
expect_exit 8 ctest --test-dir build
grep -q '1 tests failed out of 3' out || { cat out; fail "not just the race failed"; }
expect_exit 0 "$bin/bigfoot" report build/bigfoot-races.json
grep -qF "BigFoot: 1 report" out || { cat out; fail "the race is not in the records"; }

# The toolchain file: everything is checked, also what bigfoot_instrument does not name.
expect_exit 0 cmake -G Ninja -S project -B whole --toolchain "$work/prefix/lib/cmake/bigfoot/bigfoot-toolchain.cmake"
grep -q "$work/prefix/bin/bigfoot-clang" whole/CMakeCache.txt || fail "another compiler"
