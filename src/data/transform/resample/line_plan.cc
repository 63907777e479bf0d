#include "data/transform/resample/line_plan.h"

#include <algorithm>
#include <limits>

namespace flatout::data::transform {
namespace {

// The parts of a weight, see kLowBits.
std::int16_t high_part(std::int32_t weight) {
  return static_cast<std::int16_t>(weight >> kLowBits);
}
std::int16_t low_part(std::int32_t weight) {
  return static_cast<std::int16_t>(weight & ((1 << kLowBits) - 1));
}

// Beyond it the blocks' weights would take much more memory than a row of the source. So narrow a
// result has few pixels: plain loops will do.
constexpr int kMostPairs = 128;

constexpr int kVectorBytes =
    16;  // what the loop reads from a pixel on, for every two pairs of taps
constexpr int kBlockWeights = 4 * 2 * 16;  // 16-bit numbers of a block and pair

}  // namespace

void LinePlan::build(const Axis& axis, int channels) {
  taps_.find(axis);
  source_pixels_ = static_cast<int>(axis.source().count);
  line_ = {};
  line_.width = static_cast<int>(taps_.taps.size());
  line_.taps = taps_.taps.data();
  line_.weights = taps_.weights.data();
  line_.blocks = (line_.width + kBlockPixels - 1) / kBlockPixels;
  line_.pairs = (taps_.most + 1) / 2;
  if (line_.pairs > kMostPairs) {
    line_.pairs = 0;
    return;
  }
  place_starts();
  place_weights();
  find_tail(channels);
}

// Pixels that are black, and those that fill up the last block, start where a neighbour does: any
// place will do for a weight of 0, and there it does not stretch what find_tail copies.
void LinePlan::place_starts() {
  starts_.assign(static_cast<std::size_t>(line_.blocks) * kBlockPixels, 0);
  const auto seen = std::ranges::find_if(taps_.taps, [](const Tap& tap) { return tap.count > 0; });
  std::int32_t start = seen == taps_.taps.end() ? 0 : seen->first;
  for (std::size_t pixel = 0; pixel < starts_.size(); ++pixel) {
    if (pixel < taps_.taps.size() && taps_.taps[pixel].count > 0) start = taps_.taps[pixel].first;
    starts_[pixel] = start;
  }
  line_.starts = starts_.data();
}

void LinePlan::place_weights() {
  const auto pairs = static_cast<std::size_t>(line_.pairs);
  const std::size_t count = static_cast<std::size_t>(line_.blocks) * pairs * kBlockWeights;
  auto* const all = pair_weights_.array<std::int16_t>(count);
  std::fill_n(all, count, std::int16_t{0});
  for (std::size_t pixel = 0; pixel < taps_.taps.size(); ++pixel) {
    const Tap& tap = taps_.taps[pixel];
    const std::size_t in_block = pixel % kBlockPixels;
    std::int16_t* at =
        all + pixel / kBlockPixels * pairs * kBlockWeights + in_block % 4 * 32 + in_block / 4 * 8;
    for (std::int32_t i = 0; i < tap.count; ++i) {
      const std::int32_t weight = taps_.weights[tap.weights + static_cast<std::size_t>(i)];
      std::int16_t* const pair = at + std::ptrdiff_t{i / 2} * kBlockWeights + i % 2;
      for (int copy = 0; copy < 8; copy += 2) {
        pair[copy] = high_part(weight);
        pair[16 + copy] = low_part(weight);
      }
    }
  }
  line_.pair_weights = all;
}

void LinePlan::find_tail(int channels) {
  const std::int64_t row_bytes = std::int64_t{source_pixels_} * channels;
  const std::int64_t vectors = std::int64_t{(line_.pairs - 1) / 2} * 4 * channels + kVectorBytes;
  line_.tail_first = line_.tail_last = line_.blocks;
  line_.tail_start = std::numeric_limits<int>::max();
  for (int block = line_.blocks - 1; block >= 0; --block) {
    const auto* const starts = starts_.data() + std::ptrdiff_t{block} * kBlockPixels;
    const std::int32_t last = *std::max_element(starts, starts + kBlockPixels);
    if (std::int64_t{last} * channels + vectors <= row_bytes) continue;
    if (line_.tail_first == line_.blocks) line_.tail_last = block + 1;
    line_.tail_first = block;
  }
  for (int i = line_.tail_first * kBlockPixels; i < line_.tail_last * kBlockPixels; ++i) {
    line_.tail_start = std::min(line_.tail_start, starts_[static_cast<std::size_t>(i)]);
  }
  if (line_.tail_first == line_.tail_last) line_.tail_start = source_pixels_;
  for (int i = line_.tail_first * kBlockPixels; i < line_.tail_last * kBlockPixels; ++i) {
    starts_[static_cast<std::size_t>(i)] -= line_.tail_start;
  }
  tail_bytes_ =
      static_cast<std::size_t>(row_bytes - std::int64_t{line_.tail_start} * channels + vectors) +
      kTailSlack;
  std::fill_n(tail(), tail_bytes_, std::uint8_t{0});
}

std::size_t LinePlan::memory_bytes() const {
  return taps_.memory_bytes() + pair_weights_.bytes() + tail_.bytes() +
         starts_.capacity() * sizeof(std::int32_t);
}

}  // namespace flatout::data::transform
