# A build folder in which everything is compiled with race checks: cmake --toolchain bigfoot-toolchain.cmake
get_filename_component(bigfoot_bin ${CMAKE_CURRENT_LIST_DIR}/../../../bin ABSOLUTE)
set(CMAKE_C_COMPILER ${bigfoot_bin}/bigfoot-clang)
set(CMAKE_CXX_COMPILER ${bigfoot_bin}/bigfoot-clang++)
set(bigfoot_DIR ${CMAKE_CURRENT_LIST_DIR} CACHE PATH "Where find_package(bigfoot) looks")
