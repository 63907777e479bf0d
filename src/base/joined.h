#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flatout::base {

// The words in one text, `between` between each two.
inline std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

}  // namespace flatout::base
