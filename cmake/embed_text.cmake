# cmake -DTEXT=a.json -DHEADER=stage/a.h -DNAMESPACE=flatout::stage -DNAME=kText -DOUT=a.cc -P embed_text.cmake
# Makes a C++ constant of a text.
cmake_minimum_required(VERSION 3.23)

file(READ ${TEXT} text)
if(text MATCHES "\\)text\"")
  message(FATAL_ERROR "${TEXT}: holds characters that end its wrapping")
endif()
# Some compilers take no literal above 64 KiB.
set(parts "")
string(LENGTH "${text}" length)
math(EXPR last "${length} - 1")
foreach(at RANGE 0 ${last} 16000)
  string(SUBSTRING "${text}" ${at} 16000 part)
  string(APPEND parts "\nR\"text(${part})text\"")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_text.cmake. Do not edit.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

const std::string_view ${NAME} =${parts};

}  // namespace ${NAMESPACE}
")
