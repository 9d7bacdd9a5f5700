# Race checks in a CMake project. After `find_package(bigfoot REQUIRED)`, or after including this file:
#
#   bigfoot_instrument(TARGET...)
#     Compiles and links these targets with race checks. For executables, and for the libraries of the project they
#     link; the project's compiler has to be a clang that the checks were made for.
#
#   bigfoot_add_test(NAME name COMMAND command... [SUPPRESSIONS file] [OPTIONS options])
#     A test that fails if the command has a race. Reports are appended to ${CMAKE_BINARY_DIR}/bigfoot-races.json, for
#     `bigfoot report`.
#
# To compile a whole build folder with checks, give CMake the toolchain file beside this one instead:
#
#   cmake -B build-race --toolchain ${bigfoot_TOOLCHAIN_FILE}
include_guard(GLOBAL)

find_program(BIGFOOT_CLANG bigfoot-clang HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
find_program(BIGFOOT_CLANGXX bigfoot-clang++ HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
find_program(BIGFOOT_COMMAND bigfoot HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
set(BIGFOOT_SWAP ${CMAKE_CURRENT_LIST_DIR}/bigfoot-swap.sh)

function(bigfoot_instrument)
  if(NOT BIGFOOT_CLANG OR NOT BIGFOOT_CLANGXX)
    message(FATAL_ERROR "bigfoot-clang was not found: add its folder to CMAKE_PREFIX_PATH")
  endif()
  foreach(target ${ARGN})
    # A launcher is given the compiler and its arguments; this one runs ours in its place.
    set_target_properties(${target} PROPERTIES
      C_COMPILER_LAUNCHER "${BIGFOOT_SWAP};${BIGFOOT_CLANG}" C_LINKER_LAUNCHER "${BIGFOOT_SWAP};${BIGFOOT_CLANG}"
      CXX_COMPILER_LAUNCHER "${BIGFOOT_SWAP};${BIGFOOT_CLANGXX}"
      CXX_LINKER_LAUNCHER "${BIGFOOT_SWAP};${BIGFOOT_CLANGXX}")
  endforeach()
endfunction()

function(bigfoot_add_test)
  cmake_parse_arguments(TEST "" "NAME;SUPPRESSIONS;OPTIONS" "COMMAND" ${ARGN})
  set(options "json_path=${CMAKE_BINARY_DIR}/bigfoot-races.json")
  if(TEST_SUPPRESSIONS)
    string(APPEND options " suppressions=${TEST_SUPPRESSIONS}")
  endif()
  if(TEST_OPTIONS)
    string(APPEND options " ${TEST_OPTIONS}")
  endif()
  add_test(NAME ${TEST_NAME} COMMAND ${TEST_COMMAND})
  set_tests_properties(${TEST_NAME} PROPERTIES ENVIRONMENT "BIGFOOT_OPTIONS=${options}")
endfunction()
