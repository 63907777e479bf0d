# Options that hold for every target: language, warnings, sanitizers, what a
# relocatable binary may link.
option(FLATOUT_RELOCATABLE "Link third-party C++ statically; only glibc and libgcc_s come from the system" OFF)
option(FLATOUT_TESTS "Build the GoogleTest programs by default" ON)
set(FLATOUT_TESTS_OF "" CACHE STRING "Build the tests of these targets only, such as those with threads; empty = all")
option(FLATOUT_WERROR "Treat warnings as errors" ON)
set(FLATOUT_SANITIZE "" CACHE STRING "Value of -fsanitize=, empty for none")
option(FLATOUT_FUZZ_TARGETS "Configure the fuzz targets with the flags of everything else" OFF)
option(FLATOUT_FUZZ "Configure the fuzz targets, and let libFuzzer see the coverage of every stage" OFF)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/archive)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast> -Wimplicit-fallthrough -fno-omit-frame-pointer
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees an overlap in `"text" + std::string()` when it optimises (GCC bug 105651).
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  add_compile_options(-Wno-deprecated-declarations)  # of libstdc++ 12, in its own algorithms
endif()
if(CMAKE_UNITY_BUILD)
  # Several files in one: what is local to one file hides nothing of another, and is not of a header.
  add_compile_options(-Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wshadow=local $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
endif()
if(FLATOUT_WERROR)
  add_compile_options(-Werror)
endif()
if(FLATOUT_SANITIZE)
  add_compile_options(-fsanitize=${FLATOUT_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FLATOUT_SANITIZE})
  if(FLATOUT_SANITIZE MATCHES "undefined")
    # A third of the time that compiling with sanitizers takes goes into these, asked at every pointer that is followed. A null
    # pointer ends the program anyway; alignment matters where memory is laid out by others (flatout_reads_raw_memory).
    add_compile_options(-fno-sanitize=null,alignment,vptr)
  endif()
  if(FLATOUT_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # GCC warns of fences, which it does not model
  endif()
endif()
if(FLATOUT_FUZZ)
  # A made-up double that no integer can hold; not part of `undefined`.
  add_compile_options(-fsanitize=float-cast-overflow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # In the stages too: an engine that sees only its own target cannot tell
    # which inputs reach new code of ours.
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()
if(FLATOUT_RELOCATABLE)
  # Static libstdc++, but the system's libgcc_s: a static libgcc would want
  # _dl_find_object from GLIBC_2.35. Unused sections go, because libstdc++'s
  # strings drag in std::random_device and with it arc4random from GLIBC_2.36;
  # so our code must not use that class. tools/check_binary.py holds us to this.
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-static-libstdc++ -shared-libgcc -Wl,--as-needed -Wl,--gc-sections)
endif()

# For the CMakeLists.txt of a folder whose code follows pointers into bytes that it did not lay out itself: files, shared
# memory, structures of a driver.
macro(flatout_reads_raw_memory)
  if(FLATOUT_SANITIZE MATCHES "undefined")
    add_compile_options(-fsanitize=null,alignment)
  endif()
endmacro()

# For a folder whose tests are arithmetic, on many bytes or of many simulated runs: they take longer unoptimised than optimising them does.
macro(flatout_is_hot)
  if(FLATOUT_SANITIZE)
    add_compile_options(-O1)
  endif()
endmacro()
