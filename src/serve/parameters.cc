#include "serve/parameters.h"

#include <string>

#include "base/number_text.h"

namespace flatout::serve {

base::Result<std::int64_t> whole_number(const Request& request, std::string_view name,
                                        std::int64_t otherwise, std::int64_t least,
                                        std::int64_t most) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return otherwise;
  const auto value = base::parse_number<std::int64_t>(*text);
  if (value && *value >= least && *value <= most) return *value;
  return base::fail(base::ErrorCode::kInvalid, std::string(name) + " is a whole number from " +
                                                   std::to_string(least) + " to " +
                                                   std::to_string(most));
}

base::Result<std::optional<double>> number(const Request& request, std::string_view name) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return std::optional<double>();
  if (const auto value = base::parse_number<double>(*text)) return value;
  return base::fail(base::ErrorCode::kInvalid, std::string(name) + " is a number");
}

}  // namespace flatout::serve
