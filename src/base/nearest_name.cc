#include "base/nearest_name.h"

#include <algorithm>
#include <vector>

namespace flatout::base {
namespace {

constexpr std::size_t kLongestName = 128;

// Restricted Damerau-Levenshtein distance, three rows of its table at a time.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const bool same = from[i - 1] == to[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[to.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  if (name.empty() || name.size() > kLongestName) return "";
  if (std::ranges::find(known, name) != known.end()) return "";
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(1, name.size() / 4) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t far = distance(name, candidate);
    if (far >= least) continue;
    least = far;
    nearest = candidate;
  }
  return std::string(nearest);
}

}  // namespace flatout::base
