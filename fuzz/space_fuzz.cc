// Any bytes as a search's space: what is read gives points that lie in it, none twice.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "apply/search/arguments.h"
#include "apply/search/points.h"
#include "apply/search/space.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  const auto space =
      apply::parse_space(std::string_view(reinterpret_cast<const char*>(data), size), "space.toml");
  if (!space) return 0;
  if (space->dimensions.empty() || space->steps.empty()) std::abort();
  apply::PointSequence points(*space);
  std::set<std::string> given;
  for (int i = 0; i < 8; ++i) {
    const auto point = points.next();
    if (!point) break;
    if (point->size() != space->dimensions.size()) std::abort();
    std::string key;
    for (const auto& setting : *point) {
      if (setting.value.empty()) std::abort();
      key += setting.value + '\n';
    }
    if (!given.insert(key).second) std::abort();
    const auto setup = apply::set_up({"program"}, *point);
    if (apply::shell_line(setup).empty()) std::abort();
  }
  return 0;
}
