// The files of assets/ as they stand in the page, and the SHA-256 of that in
// base64, for the Content-Security-Policy. assets.cc is made by
// cmake/embed_assets.cmake at build.
#pragma once

#include <string_view>

namespace flatout::report::html {

extern const std::string_view kStyle;
extern const std::string_view kStyleSha256;
extern const std::string_view kScript;
extern const std::string_view kScriptSha256;

}  // namespace flatout::report::html
