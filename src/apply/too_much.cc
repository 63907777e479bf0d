#include "apply/too_much.h"

#include <charconv>

namespace flatout::apply {
namespace {

std::optional<double> number(std::string_view literal) {
  double out = 0;
  const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), out);
  if (error != std::errc() || end != literal.data() + literal.size()) return std::nullopt;
  return out;
}

}  // namespace

void TooMuch::failed(const std::string& knob, std::string_view value, std::string_view from) {
  const auto at = number(value);
  const auto before = number(from);
  if (!at || !before || *at <= *before) return;
  const auto known = least_.find(knob);
  if (known == least_.end() || *at < known->second) least_[knob] = *at;
}

std::optional<double> TooMuch::of(const std::string& knob) const {
  const auto known = least_.find(knob);
  if (known == least_.end()) return std::nullopt;
  return known->second;
}

bool TooMuch::holds(const std::string& knob, std::string_view value) const {
  const auto least = of(knob);
  const auto at = number(value);
  return least && at && *at >= *least;
}

}  // namespace flatout::apply
