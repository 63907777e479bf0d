// Times and values of a series to bytes and back, lossless to the last bit
// (docs/formats/run-sqlite.md). Pure; any thread. Internal to store/.
//
// Values take the first coding that fits all of them exactly:
//   constant  one value
//   decimal   whole numbers over a power of ten, as differences: what drivers
//             and the kernel state (percent, milliwatts, pages)
//   rate      growth of a counter over the time since the point before: what
//             collect/ makes of counters. Their last bits are noise of the
//             clock, but given the times, the counter's growth says it all
//   shuffled  xor with the value before, byte plane by byte plane
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flatout::store {

// A chunk has at most this many points, so that a reader's memory is bounded.
constexpr std::size_t kMaxChunkPoints = 8192;
// More bytes than this no chunk of that many points needs, before compression.
constexpr std::size_t kMaxPointBytes = kMaxChunkPoints * 20 + 64;

enum class Coding : std::uint8_t { kConstant = 0, kDecimal = 1, kRate = 2, kShuffled = 3 };

void encode_times(std::span<const std::int64_t> times, std::string& out);
// False when `bytes` is not `count` times.
bool decode_times(std::string_view bytes, std::size_t count, std::vector<std::int64_t>& out);

// `times` are those of the values; `before_ns` that of the point before the
// first, absent when there is none.
Coding encode_values(std::span<const double> values, std::span<const std::int64_t> times,
                     std::optional<std::int64_t> before_ns, std::string& out);
// As many values as times; false when `bytes` does not hold these.
bool decode_values(std::string_view bytes, std::span<const std::int64_t> times,
                   std::vector<double>& out);

}  // namespace flatout::store
