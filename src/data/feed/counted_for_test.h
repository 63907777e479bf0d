#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace flatout::data {

// 0, 1, 2 ...: an epoch in order.
inline std::vector<std::int64_t> counted(std::int64_t samples) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(samples));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace flatout::data
