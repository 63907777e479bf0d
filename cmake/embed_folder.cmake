# cmake -DFOLDER=build/web/dist -DOUT=page_files.cc -P embed_folder.cmake
# Makes C++ constants of a folder's files, compressed, with the type that each is sent as. Without the folder there are none.
cmake_minimum_required(VERSION 3.23)

set(type_html "text/html; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_json "application/json")
set(type_svg "image/svg+xml")
set(type_png "image/png")
set(type_ico "image/x-icon")
set(type_woff2 "font/woff2")
set(type_txt "text/plain; charset=utf-8")

set(arrays "")
set(table "")
set(number 0)
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
foreach(file IN LISTS files)
  string(REGEX MATCH "[^.]*$" extension "${file}")
  if(NOT DEFINED type_${extension})
    continue()  # source maps, for those who build the page
  endif()
  if(file MATCHES "[^A-Za-z0-9_./-]")
    message(FATAL_ERROR "${FOLDER}/${file}: its name cannot stand in a URL as it is")
  endif()
  file(ARCHIVE_CREATE OUTPUT ${OUT}.gz PATHS ${FOLDER}/${file} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9 MTIME "UTC")
  file(READ ${OUT}.gz hex HEX)
  file(SHA256 ${FOLDER}/${file} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(REGEX REPLACE "(................................................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n${hex}};\n")
  string(APPEND table "    {\"/${file}\", \"${type_${extension}}\", \"${hash}\", bytes_of(kFile${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(REMOVE ${OUT}.gz)

set(head "// Made by cmake/embed_folder.cmake. Do not edit.
#include \"serve/page.h\"

namespace flatout::serve {
")
if(number EQUAL 0)
  set(body "std::span<const PageFile> page_files() { return {}; }\n")
else()
  set(body "namespace {

template <std::size_t kSize>
std::string_view bytes_of(const unsigned char (&bytes)[kSize]) {
  return {reinterpret_cast<const char*>(bytes), kSize};
}

${arrays}
const PageFile kPageFiles[] = {
${table}};

}  // namespace

std::span<const PageFile> page_files() { return kPageFiles; }
")
endif()
file(WRITE ${OUT} "${head}
${body}
}  // namespace flatout::serve
")
