# cmake -DSTYLE="a.css;b.css" -DSCRIPT="a.js;b.js" -DOUT=assets.cc -P embed_assets.cmake
# Makes C++ constants of a page's style and script, with the SHA-256 of each in
# base64 as a Content-Security-Policy wants it. Files are joined in the order given;
# those of the script are the body of one function. Lines lose their indentation, and
# comments that have a line to themselves go. The text is wrapped in CDATA
# behind comments, so that the page is XML as well as HTML.
cmake_minimum_required(VERSION 3.23)

function(base64_of_hex hex result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  string(APPEND hex "00")  # 256 bits and 8 more: 22 times 12
  foreach(at RANGE 0 63 3)
    string(SUBSTRING ${hex} ${at} 3 digits)
    math(EXPR high "0x${digits} >> 6")
    math(EXPR low "0x${digits} & 63")
    string(SUBSTRING ${alphabet} ${high} 1 first)
    string(SUBSTRING ${alphabet} ${low} 1 second)
    string(APPEND text ${first}${second})
  endforeach()
  string(SUBSTRING ${text} 0 43 text)  # the rest is padding
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

function(constant name paths before after result)
  set(text "${before}")
  foreach(path IN LISTS paths)
    file(READ ${path} one)
    if(one MATCHES "]]>" OR one MATCHES "</" OR one MATCHES "\\)asset\"")
      message(FATAL_ERROR "${path}: holds characters that end its wrapping")
    endif()
    string(REGEX REPLACE "\n +" "\n" one "${one}")
    string(REGEX REPLACE "\n(//[^\n]*\n)+" "\n" one "\n${one}")
    string(REGEX REPLACE "\n/[*][^*]*[*]/" "" one "${one}")
    string(APPEND text "${one}")
  endforeach()
  string(APPEND text "${after}")
  set(text "/*<![CDATA[*/\n${text}/*]]>*/")
  string(SHA256 hash "${text}")
  base64_of_hex(${hash} base64)
  set(${result} "${${result}}
const std::string_view ${name} = R\"asset(${text})asset\";
const std::string_view ${name}Sha256 = \"${base64}\";
" PARENT_SCOPE)
endfunction()

set(code "// Made by cmake/embed_assets.cmake. Do not edit.
#include \"report/html/assets.h\"

namespace flatout::report::html {
")
constant(kStyle "${STYLE}" "" "" code)
constant(kScript "${SCRIPT}" "\"use strict\";\n(function () {\n" "})();\n" code)
file(WRITE ${OUT} "${code}
}  // namespace flatout::report::html
")
