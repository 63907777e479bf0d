// What the checks of `flatout doctor` give: each is one line of its page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collect/devices.h"

namespace flatout::cli {

enum class Mark : std::uint8_t { kOk, kMissing, kBroken };  // kBroken: `run` records less

struct Check {
  Mark mark = Mark::kOk;
  std::string name;
  std::string text;
};

// Each tier of evidence about accelerators: what it gives here, or why not, what
// that costs and what to do. Pure.
std::vector<Check> tell_devices(const collect::DeviceLook& nvidia, const collect::DeviceLook& amd);

// Looks, for about a second where there is a GPU, and tells.
std::vector<Check> check_devices();

}  // namespace flatout::cli
