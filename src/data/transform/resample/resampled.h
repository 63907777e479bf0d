// Whole pictures out of a Resampler, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "data/transform/made_up_pixels.h"
#include "data/transform/resample/resampler.h"

namespace flatout::data::transform {

inline std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all = {&baseline::kernels()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3")) all.push_back(&v3::kernels());
#endif
  return all;
}

inline Box needed(const Axis& x, const Axis& y) {
  return {static_cast<int>(x.source().first), static_cast<int>(y.source().first),
          static_cast<int>(x.source().count), static_cast<int>(y.source().count)};
}

// Interleaved; the resampler sees only the box that the axes need.
inline std::vector<std::uint8_t> resampled(Resampler& resampler, const Axis& x, const Axis& y,
                                           const MadeUpPicture& picture, int pillow_major = 13) {
  const MadeUpPicture part = picture.cut(needed(x, y));
  const auto width = static_cast<std::size_t>(x.length());
  const auto channels = static_cast<std::size_t>(picture.channels);
  std::vector<std::uint8_t> out(width * channels * static_cast<std::size_t>(y.length()));
  resampler.begin(x, y, pillow_pass_order(pillow_major, x, y), part.view());
  for (int turn = 0; turn < resampler.height(); ++turn) {
    const std::uint8_t* row = resampler.row(turn);
    const auto index = static_cast<std::size_t>(resampler.next_index(turn));
    for (std::size_t i = 0; i < width * channels; ++i) {
      out[index * width * channels + i] =
          row[static_cast<std::ptrdiff_t>(i % channels) * resampler.plane() +
              static_cast<std::ptrdiff_t>(i / channels)];
    }
  }
  return out;
}

}  // namespace flatout::data::transform
