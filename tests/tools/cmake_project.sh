#!/usr/bin/env bash
# A CMake project with a static and a shared library, C and C++, threads found by CMake's own checks.
. "$(dirname "$0")/support.sh"

cp "$sources"/* .
cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.20)
project(sample C CXX)
find_package(Threads REQUIRED)
include(CheckCSourceCompiles)
check_c_source_compiles("int main(void) { return 0; }" WORKS)
check_c_source_compiles("int main(void) { return no_such_function(); }" BROKEN)
if(NOT WORKS OR BROKEN)
  message(FATAL_ERROR "compiler checks give wrong answers")
endif()
add_library(racy STATIC counter.c)
add_library(locked SHARED counter.c)
target_compile_definitions(locked PRIVATE LOCKED)
target_link_options(locked PRIVATE -Wl,--no-undefined)
target_link_libraries(locked PRIVATE Threads::Threads)
foreach(twin racy locked)
  add_executable(c_${twin} main.c)
  add_executable(cxx_${twin} main.cpp)
  target_link_libraries(c_${twin} PRIVATE ${twin} Threads::Threads)
  target_link_libraries(cxx_${twin} PRIVATE ${twin} Threads::Threads)
endforeach()
PROJECT
expect_exit 0 cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER="$CC" \
  -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON .
grep -q 'compiler identification is Clang' out || fail "CMake does not recognise the compiler"
expect_exit 0 ninja -C build
! grep -i warning out err || fail "the build warns"
for language in c cxx; do
  expect_race build/${language}_racy "$race"
  expect_silent build/${language}_locked
done
