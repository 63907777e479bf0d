// Numbers in decimal, whole texts of them. Pure.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace flatout::base {

// The whole of `text` as a number; absent when it is anything else, and for what is not finite.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;  // "nan" and "inf" are read as such
  }
  return value;
}

}  // namespace flatout::base
