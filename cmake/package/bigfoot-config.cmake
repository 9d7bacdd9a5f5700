# What find_package(bigfoot) reads.
set(bigfoot_TOOLCHAIN_FILE ${CMAKE_CURRENT_LIST_DIR}/bigfoot-toolchain.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/bigfoot.cmake)
if(NOT BIGFOOT_CLANG OR NOT BIGFOOT_CLANGXX)
  set(bigfoot_FOUND FALSE)
  set(bigfoot_NOT_FOUND_MESSAGE "the compiler drivers bigfoot-clang and bigfoot-clang++ are missing")
endif()
