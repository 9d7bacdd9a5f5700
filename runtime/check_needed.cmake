# Fails if the run time needs a symbol it must not: anything of a C++ library, or a function of the
# program that we watch (its allocator, its memory and string functions). The unwinder is the compiler's
# own support library, linked into C programs too. Weak references are hooks the
# program may or may not define.
#
#   cmake -DARCHIVE=libbigfoot_rt.a -DREADELF=readelf -P check_needed.cmake
execute_process(COMMAND ${READELF} --symbols --wide ${ARCHIVE}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(GLOBAL|WEAK) +[A-Z]+ +[0-9]+ [A-Za-z_][A-Za-z0-9_]*" defined "${symbols}")
string(REGEX MATCHALL "GLOBAL +[A-Z]+ +UND [A-Za-z_][A-Za-z0-9_]*" needed "${symbols}")
list(TRANSFORM defined REPLACE "^.* " "")
list(TRANSFORM needed REPLACE "^.* " "")
list(REMOVE_DUPLICATES needed)
list(REMOVE_ITEM needed ${defined})
set(forbidden "^(_Z.*|__cxa_.*|__gxx_.*|(m|c|re)alloc|free|mem(cpy|move|set|cmp|chr)|str[a-z]+|.*printf)$")
list(FILTER needed INCLUDE REGEX ${forbidden})
if(needed)
  message(FATAL_ERROR "${ARCHIVE} needs what it must not: ${needed}")
endif()
