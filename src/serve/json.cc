#include "serve/json.h"

#include <charconv>
#include <cmath>

namespace flatout::serve {

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  out.append(text, end.ptr);
}

Response json_response(const Json& json) { return text_response(dumped(json) + "\n"); }

Response text_response(std::string body, std::string content_type) {
  return {.content_type = std::move(content_type), .body = std::move(body)};
}

Response error_response(int status, std::string_view code, std::string_view message) {
  Json json = {{"error", {{"code", code}, {"message", message}}}};
  return {.status = status, .body = dumped(json) + "\n"};
}

Response error_response(const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::kInvalid:
      return error_response(400, "invalid", error.message);
    case base::ErrorCode::kNotFound:
      return error_response(404, "not_found", error.message);
    case base::ErrorCode::kTooLarge:
      return error_response(413, "too_large", error.message);
    default:
      return error_response(500, "failed", error.message);
  }
}

Response no_such_run(std::string_view id) {
  return error_response(404, "not_found",
                        "no run '" + std::string(id) + "' in this store; it may have been removed");
}

}  // namespace flatout::serve
