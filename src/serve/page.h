// The page: files that stand in this program, made by the folder web/. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "serve/http/message.h"

namespace flatout::serve {

struct PageFile {
  std::string_view path;  // "/index.html"
  std::string_view content_type;
  std::string_view hash;     // of the content
  std::string_view gzipped;  // the content
};

// Generated; empty in a build without the page.
std::span<const PageFile> page_files();

// Whether `request` is for the page and not for the API, and the answer to it.
std::optional<Response> page_response(const Request& request);

}  // namespace flatout::serve
