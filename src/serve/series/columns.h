// Curves as an answer: JSON, or columns of numbers as they lie in memory. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "serve/series/series.h"

namespace flatout::serve {

constexpr std::string_view kColumnsType = "application/vnd.flatout.columns";

// "flatout.series/1"
std::string to_json(std::span<const Curve> curves, Axis axis);
// FLCOLS1 (docs/api.md): little endian; every column begins at a multiple of 8 bytes.
std::string to_columns(std::span<const Curve> curves);

}  // namespace flatout::serve
