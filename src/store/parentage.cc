#include "store/parentage.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace flatout::store {

Parentage::Parentage(std::span<const RunLink> runs) {
  std::unordered_set<std::string_view> here;
  for (const RunLink& run : runs) here.insert(run.id);
  for (const RunLink& run : runs) {
    if (run.parent != run.id && here.contains(run.parent)) parent_.emplace(run.id, run.parent);
  }
  for (const RunLink& run : runs) follow(run.id);
}

// Up to one that has no parent or whose first is known; then that of all on the way is.
void Parentage::follow(std::string_view id) {
  constexpr std::string_view kOnTheWay;  // no id has no letters
  std::vector<std::string_view> way;
  while (first_.emplace(id, kOnTheWay).second) {
    way.push_back(id);
    const auto up = parent_.find(id);
    if (up == parent_.end()) break;
    id = up->second;
  }
  if (first_.at(id) == kOnTheWay) {  // the last of the way, or it came back to one of them
    const auto stands_by_itself = std::ranges::find(way, id);
    for (auto one = stands_by_itself; one != way.end(); ++one) {
      parent_.erase(*one);
      first_[*one] = *one;
    }
    way.erase(stands_by_itself, way.end());
  }
  const std::string_view first = first_.at(id);
  for (const std::string_view one : way) first_[one] = first;
}

bool Parentage::is_or_below(std::string_view id, std::string_view above) const {
  while (id != above) {
    const auto up = parent_.find(id);
    if (up == parent_.end()) return false;
    id = up->second;
  }
  return true;
}

}  // namespace flatout::store
