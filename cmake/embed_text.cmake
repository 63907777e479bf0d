# cmake -DTEXT=a.json -DHEADER=stage/a.h -DNAMESPACE=flatout::stage -DNAME=kText -DOUT=a.cc -P embed_text.cmake
# Makes a C++ constant of a text.
cmake_minimum_required(VERSION 3.23)

file(READ ${TEXT} text)
if(text MATCHES "\\)text\"")
  message(FATAL_ERROR "${TEXT}: holds characters that end its wrapping")
endif()
# Compilers need not take literals above 64 KiB, also of several that stand side by side.
set(parts "")
string(LENGTH "${text}" length)
math(EXPR last "${length} - 1")
foreach(at RANGE 0 ${last} 16000)
  string(SUBSTRING "${text}" ${at} 16000 part)
  string(APPEND parts "\nall += R\"text(${part})text\";")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_text.cmake. Do not edit.
#include \"${HEADER}\"

#include <string>

namespace ${NAMESPACE} {
namespace {

std::string joined_${NAME}() {
std::string all;${parts}
return all;
}

}  // namespace

const std::string_view ${NAME} = [] {
static const std::string all = joined_${NAME}();
return std::string_view(all);
}();

}  // namespace ${NAMESPACE}
")
