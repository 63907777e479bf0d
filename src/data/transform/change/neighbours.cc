#include "data/transform/change/neighbours.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/transform/change/blend.h"

namespace flatout::data::transform {
namespace {

// The sum of nine is a thirteenth too large, and never falls between two whole numbers.
void sharpen_row(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below,
                 int width, float factor, std::uint8_t* out) {
  for (int x = 1; x < width - 1; ++x) {
    const int sum = above[x - 1] + above[x] + above[x + 1] + row[x - 1] + 5 * row[x] + row[x + 1] +
                    below[x - 1] + below[x] + below[x + 1];
    out[x] = blend((2 * sum + 13) / 26, row[x], factor);
  }
}

// Mirrored at the edges, which are not repeated.
int mirrored(int place, int length) {
  const int left = place < 0 ? -place : place;
  return left < length ? left : 2 * (length - 1) - left;
}

// One row of one channel, from `rows` rows to sums of them.
void sum_rows(const PlanarPixels& in, std::ptrdiff_t channel, int y,
              const std::vector<float>& weights, float* sums) {
  std::fill_n(sums, in.width, 0.0F);
  const int half = static_cast<int>(weights.size()) / 2;
  for (int i = -half; i <= half; ++i) {
    const std::uint8_t* const row = in.row(mirrored(y + i, in.height)) + channel;
    const float weight = weights[static_cast<std::size_t>(i + half)];
    for (int x = 0; x < in.width; ++x) sums[x] += weight * static_cast<float>(row[x]);
  }
}

// `padded` is the row with half a kernel before it and after it.
void sum_columns(const float* padded, int width, const std::vector<float>& weights, float* sums) {
  std::fill_n(sums, width, 0.0F);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const float* const from = padded + i;
    const float weight = weights[i];
    for (int x = 0; x < width; ++x) sums[x] += weight * from[x];
  }
}

}  // namespace

void sharpen(const Sharpening& sharpening, const PlanarPixels& in, const PlanarPixels& out) {
  for (int y = 0; y < in.height; ++y)
    std::memcpy(out.row(y), in.row(y), static_cast<std::size_t>(in.row_bytes()));
  if (in.width < 3 || in.height < 3) return;
  for (int y = 1; y < in.height - 1; ++y) {
    for (int channel = 0; channel < in.channels; ++channel) {
      const std::ptrdiff_t at = channel * in.plane;
      sharpen_row(in.row(y - 1) + at, in.row(y) + at, in.row(y + 1) + at, in.width,
                  sharpening.factor, out.row(y) + at);
    }
  }
}

std::vector<float> gaussian(int count, double sigma) {
  std::vector<double> exact;
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double distance = (i - (count - 1) / 2.0) / sigma;
    exact.push_back(std::exp(-0.5 * distance * distance));
    sum += exact.back();
  }
  std::vector<float> out;
  for (const double one : exact) out.push_back(static_cast<float>(one / sum));
  return out;
}

void blur(const Blur& blur, const PlanarPixels& in, const PlanarPixels& out) {
  const std::vector<float> across = gaussian(blur.columns, blur.sigma);
  const std::vector<float> down = gaussian(blur.rows, blur.sigma);
  const int half = blur.columns / 2;
  std::vector<float> padded(static_cast<std::size_t>(in.width) + across.size());
  std::vector<float> sums(static_cast<std::size_t>(in.width));
  float* const middle = padded.data() + half;
  for (int y = 0; y < in.height; ++y) {
    for (int channel = 0; channel < in.channels; ++channel) {
      sum_rows(in, channel * in.plane, y, down, middle);
      for (int i = 1; i <= half; ++i) {
        middle[-i] = middle[mirrored(-i, in.width)];
        middle[in.width - 1 + i] = middle[mirrored(in.width - 1 + i, in.width)];
      }
      sum_columns(padded.data(), in.width, across, sums.data());
      std::uint8_t* const row = out.row(y) + channel * out.plane;
      for (int x = 0; x < in.width; ++x)
        row[x] = static_cast<std::uint8_t>(
            std::min(std::nearbyint(sums[static_cast<std::size_t>(x)]), 255.0F));
    }
  }
}

}  // namespace flatout::data::transform
