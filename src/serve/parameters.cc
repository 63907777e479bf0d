#include "serve/parameters.h"

#include <charconv>
#include <cmath>
#include <string>

namespace flatout::serve {
namespace {

template <typename T>
bool read(const std::string& text, T& value) {
  const auto end = text.data() + text.size();
  const auto done = std::from_chars(text.data(), end, value);
  return done.ec == std::errc() && done.ptr == end;
}

}  // namespace

base::Result<std::int64_t> whole_number(const Request& request, std::string_view name,
                                        std::int64_t otherwise, std::int64_t least,
                                        std::int64_t most) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return otherwise;
  std::int64_t value = 0;
  if (read(*text, value) && value >= least && value <= most) return value;
  return base::fail(base::ErrorCode::kInvalid, std::string(name) + " is a whole number from " +
                                                   std::to_string(least) + " to " +
                                                   std::to_string(most));
}

base::Result<std::optional<double>> number(const Request& request, std::string_view name) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return std::optional<double>();
  double value = 0;
  if (read(*text, value) && std::isfinite(value)) return std::optional(value);
  return base::fail(base::ErrorCode::kInvalid, std::string(name) + " is a number");
}

}  // namespace flatout::serve
