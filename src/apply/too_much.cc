#include "apply/too_much.h"

#include "base/number_text.h"

namespace flatout::apply {
void TooMuch::failed(const std::string& knob, std::string_view value, std::string_view from) {
  const auto at = base::parse_number<double>(value);
  const auto before = base::parse_number<double>(from);
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
  const auto at = base::parse_number<double>(value);
  return least && at && *at >= *least;
}

}  // namespace flatout::apply
