// Ranges that the program marked, as lanes: what lies within or across another one stands in a lane
// below it. Internal to lanes.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "serve/lanes/painter.h"

namespace flatout::serve {

// Those that need not nest, and of thread `lane` those that do.
void paint_ranges(Painter& to, const run::Timeline& timeline, const run::ProcessTrack& process,
                  std::optional<std::uint16_t> lane, const std::string& group);

}  // namespace flatout::serve
