# Writes the linker's dynamic list of the run time: every symbol of the archive that is defined with
# default visibility. Programs export exactly these, so that their shared libraries, also those loaded
# later, find the run time in the executable.
#
#   cmake -DARCHIVE=libbigfoot_rt.a -DREADELF=readelf -DOUTPUT=libbigfoot_rt.syms -P list_exports.cmake
execute_process(COMMAND ${READELF} --symbols --wide ${ARCHIVE}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(GLOBAL|WEAK) +DEFAULT +[0-9]+ [A-Za-z_][A-Za-z0-9_]*" exported "${symbols}")
list(TRANSFORM exported REPLACE "^.* " "")
list(REMOVE_DUPLICATES exported)
list(SORT exported)
list(JOIN exported ";\n  " names)
file(WRITE ${OUTPUT} "{\n  ${names};\n};\n")
