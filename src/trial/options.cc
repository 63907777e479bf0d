#include "trial/options.h"

#include <utility>

namespace flatout::trial {

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> out;
  std::string name;
  for (const char c : text + ",") {
    if (c != ',') {
      name += c;
    } else if (!name.empty()) {
      out.push_back(std::exchange(name, ""));
    }
  }
  return out;
}

}  // namespace flatout::trial
