// JSON as the API writes it, and its errors.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/http/message.h"

namespace flatout::serve {

using Json = nlohmann::ordered_json;

// One line; bytes that are not UTF-8 become U+FFFD. Never throws.
std::string dumped(const Json& json);
// Appends a number as short as it reads back; "null" for what is not finite.
void append_number(std::string& out, double value);
// Null where it is absent or not finite.
template <typename T>
Json or_null(const std::optional<T>& value);

Response json_response(const Json& json);
Response text_response(std::string body, std::string content_type = "application/json");
// {"error":{"code","message"}}
Response error_response(int status, std::string_view code, std::string_view message);
// The status that fits the error's code: 400, 404, 500.
Response error_response(const base::Error& error);
Response no_such_run(std::string_view id);

template <typename T>
Json or_null(const std::optional<T>& value) {
  if (!value || !(static_cast<double>(*value) - static_cast<double>(*value) == 0)) return nullptr;
  return *value;
}

}  // namespace flatout::serve
