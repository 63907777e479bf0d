// Small pieces of JSON of the readers. Any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace flatout::trackers {

using Json = nlohmann::ordered_json;

// JSON as Python writes it, with NaN and Infinity; absent where it is none, or nested too deep.
std::optional<Json> json_of(std::string_view text);
// A number, a bool, or what Python writes for NaN and infinities.
std::optional<double> number_of(std::string_view json);
// In one line; bytes that are no UTF-8 are replaced.
std::string text_of(const Json& json);
// into[a][b] = value for the path a, b; what stands in the way is replaced.
void set_at(Json& into, std::string_view path, char separator, Json value);

}  // namespace flatout::trackers
