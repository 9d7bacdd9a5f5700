# The language level and the warnings every part is compiled with. Link `bigfoot_options` to get them.
add_library(bigfoot_options INTERFACE)
target_compile_features(bigfoot_options INTERFACE cxx_std_20)
target_include_directories(bigfoot_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_options(bigfoot_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough
  -Wno-gnu-zero-variadic-macro-arguments -Werror)

# For code that is loaded into a distribution's LLVM (built without either) or into the program under
# test: no exceptions, no RTTI.
add_library(bigfoot_no_rtti INTERFACE)
target_link_libraries(bigfoot_no_rtti INTERFACE bigfoot_options)
target_compile_options(bigfoot_no_rtti INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
