# Fails if what programs export for the run time (the dynamic list that list_exports.cmake has written)
# is not what it has to be:
# - every function that instrumented code may call is there: a shared library would not load without;
# - every other name is one that a program expects from us. What is defined weakly is an interceptor
#   under the C library's name; a strong symbol outside our own name spaces would collide with the
#   program's.
#
#   cmake -DABI=abi -DARCHIVE=libbigfoot_rt.a -DREADELF=readelf -DEXPORTS=libbigfoot_rt.syms \
#         -P check_exports.cmake
file(STRINGS ${EXPORTS} exported REGEX "^  .*;$")
list(TRANSFORM exported REPLACE "^ +([^;]+).*$" "\\1")

file(STRINGS ${ABI}/entry_points.def entries REGEX "^BF_ENTRY\\(")
list(TRANSFORM entries REPLACE "^BF_ENTRY\\([a-z]+, ([a-z0-9_]+),.*" "__bf_\\1")
file(STRINGS ${ABI}/library_wrappers.def wrappers REGEX "^BF_LIBRARY_WRAPPER\\(")
list(TRANSFORM wrappers REPLACE "^BF_LIBRARY_WRAPPER\\((.*)\\).*" "__bf_\\1")
file(STRINGS ${ABI}/atomics.def rmws REGEX "^BF_ATOMIC_RMW\\(")
list(TRANSFORM rmws REPLACE "^BF_ATOMIC_RMW\\((.*)\\)" "\\1")
foreach(bits 8 16 32 64 128)
  foreach(operation load store compare_exchange ${rmws})
    list(APPEND entries __bf_atomic${bits}_${operation})
  endforeach()
endforeach()
set(missing ${entries} ${wrappers})
list(REMOVE_ITEM missing ${exported})
if(missing)
  message(FATAL_ERROR "${EXPORTS} lacks functions that instrumented code calls: ${missing}")
endif()

execute_process(COMMAND ${READELF} --symbols --wide ${ARCHIVE}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "GLOBAL +DEFAULT +[0-9]+ [A-Za-z_][A-Za-z0-9_]*" strong "${symbols}")
list(TRANSFORM strong REPLACE "^.* " "")
list(FILTER strong EXCLUDE REGEX "^(__bf_|__tsan_|Annotate)")
if(strong)
  message(FATAL_ERROR "${ARCHIVE} exports names that are the program's: ${strong}")
endif()
