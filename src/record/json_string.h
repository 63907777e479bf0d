// A JSON string literal, there and back: the only JSON that record itself
// writes. Facts of the hooks pass through as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flatout::record {

// `text` as a JSON literal. Bytes that are no UTF-8 become '?'.
std::string json_quote(std::string_view text);

// What json_quote() made back into its text; absent for anything else.
std::optional<std::string> json_unquote(std::string_view literal);

}  // namespace flatout::record
