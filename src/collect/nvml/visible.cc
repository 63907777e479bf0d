#include "collect/nvml/visible.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "host/text_fields.h"

namespace flatout::collect::nvml {
namespace {

// Places of the devices that an index may name.
std::vector<std::size_t> numbered(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].mig_instance) places.push_back(i);
  }
  return places;
}

bool all_alike(const std::vector<Candidate>& candidates) {
  const auto places = numbered(candidates);
  return std::ranges::all_of(
      places, [&](std::size_t i) { return candidates[i].name == candidates[places[0]].name; });
}

std::optional<std::size_t> find(std::string_view entry, const std::vector<Candidate>& candidates) {
  if (const auto number = host::parse_number<std::size_t>(entry)) {
    const auto places = numbered(candidates);
    if (*number >= places.size()) return std::nullopt;
    return places[*number];
  }
  if (!entry.starts_with("GPU-") && !entry.starts_with("MIG-")) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].uuid.starts_with(entry)) continue;
    if (found) return std::nullopt;  // not the beginning of one alone
    found = i;
  }
  return found;
}

std::vector<std::string_view> entries(std::string_view list) {
  std::vector<std::string_view> all;
  while (!base::trimmed(list).empty()) {
    const auto comma = list.find(',');
    all.push_back(base::trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return all;
}

bool is_number(std::string_view entry) {
  return host::parse_number<std::size_t>(entry).has_value();
}

}  // namespace

Visible visible_devices(const VisibleSetting& setting, const std::vector<Candidate>& candidates) {
  Visible visible{.index = std::vector<std::optional<int>>(candidates.size()), .unknown = ""};
  const bool mig = std::ranges::any_of(candidates, &Candidate::mig_parent);
  const auto list = setting.devices ? entries(*setting.devices) : std::vector<std::string_view>{};
  const bool by_number = !setting.devices || std::ranges::any_of(list, is_number);
  if (by_number && mig) {
    visible.unknown =
        "MIG is on, and which instance CUDA takes then is its own choice; name MIG UUIDs in "
        "CUDA_VISIBLE_DEVICES";
    return visible;
  }
  if (by_number && setting.order != "PCI_BUS_ID" && !all_alike(candidates)) {
    visible.unknown =
        "the GPUs differ, and CUDA numbers the fastest first; set CUDA_DEVICE_ORDER=PCI_BUS_ID to "
        "number them as the driver does";
    return visible;
  }
  int next = 0;
  if (!setting.devices) {
    for (const std::size_t place : numbered(candidates)) visible.index[place] = next++;
    return visible;
  }
  for (const auto entry : list) {
    const auto place = find(entry, candidates);
    if (!place) break;
    if (visible.index[*place]) {
      std::ranges::fill(visible.index, std::nullopt);
      break;
    }
    visible.index[*place] = next++;
  }
  return visible;
}

}  // namespace flatout::collect::nvml
