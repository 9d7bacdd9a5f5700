# Writes the linker's dynamic list of the run time: every symbol of the archive that is defined with
# default visibility. Shared libraries of the program, also those loaded later, find them in the
# executable.
#
#   cmake -DARCHIVE=libbigfoot_rt.a -DREADELF=readelf -DOUTPUT=exported_symbols.txt -P list_exports.cmake
#
# With -DCHECK=ON nothing is written; it fails if OUTPUT is not what would be written.
execute_process(COMMAND ${READELF} --symbols --wide ${ARCHIVE}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(GLOBAL|WEAK) +DEFAULT +[0-9]+ [A-Za-z_][A-Za-z0-9_]*" defined "${symbols}")
list(TRANSFORM defined REPLACE "^.* " "")
list(REMOVE_DUPLICATES defined)
list(SORT defined COMPARE STRING CASE INSENSITIVE)
set(text "{\n")
foreach(symbol IN LISTS defined)
  string(APPEND text "  ${symbol};\n")
endforeach()
string(APPEND text "};\n")
if(NOT CHECK)
  file(WRITE ${OUTPUT} "${text}")
  return()
endif()
file(READ ${OUTPUT} found)
if(NOT found STREQUAL text)
  message(FATAL_ERROR "${OUTPUT} is out of date; write it anew with\n"
    "  cmake -DARCHIVE=${ARCHIVE} -DREADELF=${READELF} -DOUTPUT=${OUTPUT} -P ${CMAKE_CURRENT_LIST_FILE}")
endif()
