# flatout_stage(store SOURCES a.cc b.cc DEPS run base LIBS zstd)
#   one static library `flatout_store` for one folder of src/.
# flatout_test(store SOURCES a_test.cc DEPS store LIBS ... [COST 60])
#   one GoogleTest program `store_test`, registered with ctest, label `fast`; COST is what it takes under ASan, in seconds, where that is
#   more than a second for each of its sources.
# Stages that work once a run or a trial, on little: half as much optimisation takes a third less time to compile, and nobody
# waits for what they do.
set(FLATOUT_ONCE_A_RUN advise analyse_compare app apply check cli data_spec launch report report_html trackers trial workspace)

function(flatout_stage name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  if(ARG_SOURCES)
    add_library(flatout_${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    if(name IN_LIST FLATOUT_ONCE_A_RUN)
      target_compile_options(flatout_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
  else()
    add_library(flatout_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(flatout_${name} ${scope} ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  foreach(dep ${ARG_DEPS})
    target_link_libraries(flatout_${name} ${scope} flatout_${dep})
  endforeach()
  target_link_libraries(flatout_${name} ${scope} ${ARG_LIBS})
endfunction()

find_package(GTest REQUIRED)
function(flatout_test name)
  cmake_parse_arguments(ARG "" "COST" "SOURCES;DEPS;LIBS" ${ARGN})
  if(FLATOUT_TESTS_OF AND NOT name IN_LIST FLATOUT_TESTS_OF)
    return()
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  # Tests have short names in common, such as `Case`: fewer of them are compiled as one.
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test UNITY_BUILD_BATCH_SIZE 16)
  if(FLATOUT_SANITIZE)
    # The code under test is optimised as the preset says; optimising the tests
    # themselves takes longer than running them slowly.
    target_compile_options(${name}_test PRIVATE -O0)
  endif()
  if(NOT FLATOUT_TESTS)
    set_target_properties(${name}_test PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(${name}_test PRIVATE FLATOUT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  foreach(dep ${ARG_DEPS})
    target_link_libraries(${name}_test PRIVATE flatout_${dep})
  endforeach()
  target_link_libraries(${name}_test PRIVATE ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name}_test)
  # ctest begins with what costs most. How long each takes it knows from the run before, and a new machine has none.
  list(LENGTH ARG_SOURCES cost)
  if(ARG_COST)
    set(cost ${ARG_COST})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 600 COST ${cost})
endfunction()

# flatout_by_instruction_set(data_transform kernels.cc)
#   Compiles the file into flatout_<stage> once an instruction set: FLATOUT_ISA is its name (baseline, v3), which
#   the file uses as a namespace and the caller chooses from at run time. Highway, which the file is written in, takes what the
#   flags allow; its own dispatch would need its library, of which Debian has no archive.
function(flatout_by_instruction_set stage file)
  set(sets baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND sets v3)
  endif()
  get_filename_component(name ${file} NAME_WE)
  foreach(set ${sets})
    add_library(flatout_${stage}_${name}_${set} OBJECT ${file})
    target_include_directories(flatout_${stage}_${name}_${set} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    # Highway takes AES for a part of AVX2, which x86-64-v3 does not promise, and would fall back to SSSE3.
    target_compile_definitions(flatout_${stage}_${name}_${set} PRIVATE FLATOUT_ISA=${set} HWY_DISABLE_PCLMUL_AES)
    # Every set gives the same bits: no product and sum in one rounding where the source does not say so. Nobody looks at
    # floating-point exceptions, and a loop that may raise them where its source does not can become vectors.
    target_compile_options(flatout_${stage}_${name}_${set} PRIVATE -ffp-contract=off -fno-trapping-math $<$<STREQUAL:${set},v3>:-march=x86-64-v3>)
    target_sources(flatout_${stage} PRIVATE $<TARGET_OBJECTS:flatout_${stage}_${name}_${set}>)
  endforeach()
endfunction()
