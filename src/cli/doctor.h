// What the checks of `flatout doctor` give: each is one line of its page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "collect/devices.h"

namespace flatout::cli {

enum class Mark : std::uint8_t { kOk, kMissing, kBroken };  // kBroken: `run` records less

struct Check {
  Mark mark = Mark::kOk;
  std::string name;
  std::string text;
};

// The page, and the same as JSON: schema "flatout.doctor/1" (schema/doctor.schema.json). Pure.
std::string doctor_text(const std::vector<Check>& checks, const TerminalStyle& style);
std::string doctor_json(const std::vector<Check>& checks);

// Each tier of evidence about accelerators: what it gives here, or why not, what
// that costs and what to do. Pure.
std::vector<Check> tell_devices(const collect::DeviceLook& nvidia, const collect::DeviceLook& amd);

// Looks, for about a second where there is a GPU, and tells.
std::vector<Check> check_devices();

}  // namespace flatout::cli
