#include "store/sealed/point_stats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "store/varint.h"

namespace flatout::store {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float rounded_down(double value) {
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) <= value ? near : std::nextafter(near, -kInfinity);
}
float rounded_up(double value) {
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) >= value ? near : std::nextafter(near, kInfinity);
}

std::size_t entries_of(std::size_t points) { return (points + kZoomPoints - 1) / kZoomPoints; }

// Columns of floats as byte planes, so that like stands beside like.
void put_floats(std::string& out, std::span<const float> values) {
  for (int plane = 3; plane >= 0; --plane) {
    for (const float value : values) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      out.push_back(static_cast<char>(bits >> (8 * plane)));
    }
  }
}

float get_float(std::string_view planes, std::size_t count, std::size_t at) {
  std::uint32_t bits = 0;
  for (std::size_t plane = 0; plane < 4; ++plane) {
    bits = bits << 8 | static_cast<std::uint8_t>(planes[plane * count + at]);
  }
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

PointStats stats_of(std::span<const double> values) {
  PointStats stats;
  stats.count = values.size();
  if (values.empty()) return stats;
  stats.first = values.front();
  stats.last = values.back();
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    stats.min = stats.finite == 0 ? value : std::min(stats.min, value);
    stats.max = stats.finite == 0 ? value : std::max(stats.max, value);
    stats.sum += value;
    ++stats.finite;
  }
  // SQLite keeps a REAL of -0.0 as 0, and then the row's checksum would not fit.
  stats.min += 0.0;
  stats.max += 0.0;
  return stats;
}

void encode_zoom(std::span<const std::int64_t> times, std::span<const double> values,
                 std::string& out) {
  std::vector<float> min;
  std::vector<float> max;
  std::vector<float> mean;
  std::int64_t last = 0;
  std::int64_t last_step = 0;
  for (std::size_t at = 0; at < values.size(); at += kZoomPoints) {
    const auto part = values.subspan(at, std::min(kZoomPoints, values.size() - at));
    const PointStats stats = stats_of(part);
    const std::int64_t step = difference(times[at], last);
    put_signed(out, difference(step, last_step));
    last = times[at];
    last_step = step;
    put_varint(out, part.size() - stats.finite);
    min.push_back(rounded_down(stats.min));
    max.push_back(rounded_up(stats.max));
    mean.push_back(static_cast<float>(
        stats.sum / static_cast<double>(std::max<std::uint64_t>(stats.finite, 1))));
  }
  put_floats(out, min);
  put_floats(out, max);
  put_floats(out, mean);
}

bool decode_zoom(std::string_view bytes, std::size_t count, std::vector<ZoomEntry>& out) {
  const std::size_t entries = entries_of(count);
  out.resize(entries);
  ByteReader in(bytes);
  std::int64_t last = 0;
  std::int64_t step = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    step = sum(step, in.signed_varint());
    last = sum(last, step);
    out[i].first_ns = last;
    out[i].count = static_cast<std::uint32_t>(std::min(kZoomPoints, count - i * kZoomPoints));
    out[i].finite = out[i].count - static_cast<std::uint32_t>(in.at_most(out[i].count));
  }
  const auto min = in.bytes(entries * 4);
  const auto max = in.bytes(entries * 4);
  const auto mean = in.bytes(entries * 4);
  if (!in.ok() || !in.at_end()) return false;
  for (std::size_t i = 0; i < entries; ++i) {
    out[i].min = get_float(min, entries, i);
    out[i].max = get_float(max, entries, i);
    out[i].mean = get_float(mean, entries, i);
  }
  return true;
}

}  // namespace flatout::store
