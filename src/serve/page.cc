#include "serve/page.h"

#include <string>

#include "serve/json.h"

namespace flatout::serve {
namespace {

// Scripts, styles and pictures of its own alone; data: for pictures that it makes itself. Frames:
// the report of a run.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'";

const PageFile* file_at(std::string_view path) {
  for (const PageFile& file : page_files()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

std::string path_of(const Request& request) {
  std::string path;
  for (const std::string& part : request.path) path += "/" + part;
  return path;
}

Response sent(const PageFile& file, const Request& request) {
  const std::string tag = "\"" + std::string(file.hash) + "\"";
  const bool named_by_content = file.path.starts_with("/assets/");
  Response response{.content_type = std::string(file.content_type)};
  response.headers = {
      {"ETag", tag},
      {"Cache-Control", named_by_content ? "private, max-age=31536000, immutable" : "no-cache"},
      {"Content-Security-Policy", kPagePolicy}};
  if (request.header("if-none-match") == tag) {
    response.status = 304;
    return response;
  }
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.fixed_body = file.gzipped;
  return response;
}

Response no_page() {
  Response response = text_response(
      "flatout: this build has no page. The API is there: GET /api/v1/runs.\n"
      "A build with the page has web/ built first (web/README.md).\n",
      "text/plain; charset=utf-8");
  response.status = 404;
  return response;
}

}  // namespace

std::optional<Response> page_response(const Request& request) {
  const bool of_page =
      request.path.empty() || (request.path[0] != "api" && request.path[0] != "metrics");
  if (!of_page) return std::nullopt;
  if (request.method != Method::kGet && request.method != Method::kHead) {
    Response refused = error_response(405, "method", "the page is only read");
    refused.headers.emplace_back("Allow", "GET, HEAD");
    return refused;
  }
  if (const PageFile* file = file_at(path_of(request))) return sent(*file, request);
  // A view of the page that is named by a path.
  const bool names_a_file =
      !request.path.empty() && request.path.back().find('.') != std::string::npos;
  const PageFile* index = file_at("/index.html");
  if (index == nullptr) return no_page();
  if (names_a_file || (!request.path.empty() && request.path[0] == "assets")) {
    return error_response(404, "not_found", "the page has no such file");
  }
  return sent(*index, request);
}

}  // namespace flatout::serve
