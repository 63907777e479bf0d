// What a chunk says of its points without being decoded, and the coarser level
// of it: one entry for each kZoomPoints points. Pure. Internal to store/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flatout::store {

constexpr std::size_t kZoomPoints = 64;

struct PointStats {
  std::uint64_t count = 0;
  std::uint64_t finite = 0;  // min, max and sum are of these
  double min = 0, max = 0, sum = 0;
  double first = 0, last = 0;  // as they are, finite or not
};
PointStats stats_of(std::span<const double> values);

// One entry of the zoom level. Figures are rounded to float: min down, max up.
struct ZoomEntry {
  std::int64_t first_ns = 0;
  std::uint32_t count = 0;
  std::uint32_t finite = 0;
  float min = 0, max = 0, mean = 0;
};

// times ascend.
void encode_zoom(std::span<const std::int64_t> times, std::span<const double> values,
                 std::string& out);
// Entries of a chunk of `count` points; false when `bytes` is none.
bool decode_zoom(std::string_view bytes, std::size_t count, std::vector<ZoomEntry>& out);

}  // namespace flatout::store
