# Runs a few of our own programs with a run time that counts, and makes a profile of what it counted.
#
#   cmake -DSOURCE=. -DBUILD=build -DLLVM_VERSION=22 -DC_COMPILER=clang -DCXX_COMPILER=clang++ -DLAUNCHER=ccache
#         -DPROFDATA=llvm-profdata -DPROFILE=build/runtime.profdata "-DPROGRAMS=a.cpp;b.cpp" -P train.cmake
#
# The counting run time is built from the same tree in BUILD/training, which is removed afterwards unless something goes
# wrong. Whatever goes wrong is said, and leaves a profile of nothing: the run time is then
# compiled as if there were none.
set(training ${BUILD}/training)
set(log ${BUILD}/training.log)

function(give_up what)
  message("bigfoot build: the run time is built without a profile: ${what} failed (log: ${log})")
  file(WRITE ${training}/empty.proftext ":ir\n")
  execute_process(COMMAND ${PROFDATA} merge ${training}/empty.proftext -o ${PROFILE} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(run result)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 900)
  file(APPEND ${log} "${ARGN}\n${said}\n")
  set(${result} ${code} PARENT_SCOPE)
endfunction()

# Each program with two threads, which record, lock and contend; the smallest size runs for a tenth of a second.
function(train program result)
  get_filename_component(name ${program} NAME_WE)
  run(code ${training}/bin/bigfoot-clang++ -std=c++20 -O2 -g1 -pthread -I${SOURCE}
      -c ${program} -o ${training}/${name}.o)
  if(code EQUAL 0)
    run(code ${training}/bin/bigfoot-clang++ -pthread -fprofile-generate ${training}/${name}.o -o ${training}/${name})
  endif()
  if(code EQUAL 0)
    run(code ${CMAKE_COMMAND} -E env LLVM_PROFILE_FILE=${training}/${name}.profraw --unset=BIGFOOT_OPTIONS
        ${training}/${name} --threads 2 --size tiny)
  endif()
  set(${result} ${code} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${training} ${log})
run(code ${CMAKE_COMMAND} -S ${SOURCE} -B ${training} -G Ninja -DBIGFOOT_LLVM_VERSION=${LLVM_VERSION}
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
    -DBIGFOOT_PROFILE=make -DBIGFOOT_TESTS=OFF -DBIGFOOT_BENCHMARKS=OFF)
if(code EQUAL 0)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  run(code ${CMAKE_COMMAND} --build ${training} --target bigfoot_rt --parallel ${processors})
endif()
if(NOT code EQUAL 0)
  give_up("building it for training")
  return()
endif()
# The driver finds plugin and run time beside itself.
file(COPY ${BUILD}/bin/bigfoot-clang ${BUILD}/bin/bigfoot-clang++ DESTINATION ${training}/bin)
file(COPY ${BUILD}/lib/libbigfoot_pass.so DESTINATION ${training}/lib)
foreach(program ${PROGRAMS})
  train(${program} code)
  if(NOT code EQUAL 0)
    give_up("training with ${program}")
    return()
  endif()
endforeach()
file(GLOB counts ${training}/*.profraw)
run(code ${PROFDATA} merge ${counts} -o ${PROFILE})
if(NOT code EQUAL 0)
  give_up("merging what was counted")
  return()
endif()
file(REMOVE_RECURSE ${training})
