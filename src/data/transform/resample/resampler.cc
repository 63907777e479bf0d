#include "data/transform/resample/resampler.h"

#include <algorithm>
#include <cstring>

namespace flatout::data::transform {
Resampler::Resampler(const Kernels& kernels) : kernels_(&kernels) {}

void Resampler::begin(const Axis& x, const Axis& y, PassOrder order, const PixelView& pixels) {
  if (x_ != x || built_channels_ != pixels.channels) line_.build(x, pixels.channels);
  if (y_ != y) rows_.build(y);
  x_ = x;
  y_ = y;
  built_channels_ = pixels.channels;
  pixels_ = pixels;
  order_ = order;
  plane_ = padded_row(line_.line().width);
  next_ = 0;
  const auto most = static_cast<std::size_t>(rows_.most());
  window_.resize(most);
  out_.at_least(line_bytes());
  if (order == PassOrder::kRowsFirst) {
    ring_.at_least(line_bytes() * most);
  } else {
    summed_.at_least(
        static_cast<std::size_t>(padded_row(std::ptrdiff_t{pixels.width} * channels())));
    edges_.at_least(most * kRowPadding);
  }
}

void Resampler::to_planar(const std::uint8_t* row, std::uint8_t* out) {
  const auto horizontal = channels() == 3 ? kernels_->horizontal_rgb : kernels_->horizontal_grey;
  horizontal(line_.line(), row, line_.source_pixels(), line_.tail(), out, plane_);
}

const std::uint8_t* Resampler::row(int turn) {
  const int index = rows_.in_order(turn);
  const Tap& tap = rows_.tap(index);
  auto* const out = out_.as<std::uint8_t>();
  if (tap.count == 0) {
    std::fill_n(out, line_bytes(), std::uint8_t{0});
    return out;
  }
  if (order_ == PassOrder::kColumnsFirst) {
    to_planar(rows_.is_copy(index) ? pixels_.row(tap.first) : sum_source_rows(index), out);
    return out;
  }
  for (next_ = std::max(next_, tap.first); next_ < tap.first + tap.count; ++next_) {
    to_planar(pixels_.row(next_), kept(next_));
  }
  if (rows_.is_copy(index)) return kept(tap.first);
  sum_lines(index, out);
  return out;
}

std::uint8_t* Resampler::kept(int source_row) {
  return ring_.as<std::uint8_t>() +
         static_cast<std::size_t>(source_row % rows_.most()) * line_bytes();
}

void Resampler::sum_lines(int index, std::uint8_t* out) {
  const Tap& tap = rows_.tap(index);
  for (int i = 0; i < tap.count; ++i) window_[static_cast<std::size_t>(i)] = kept(tap.first + i);
  kernels_->vertical(rows_.column(index), window_.data(), static_cast<int>(line_bytes()), out);
}

// The loop takes whole vectors, and a row of the source may be the last thing in its memory: what
// is left over is copied.
const std::uint8_t* Resampler::sum_source_rows(int index) {
  const Tap& tap = rows_.tap(index);
  auto* const out = summed_.as<std::uint8_t>();
  const int bytes = pixels_.width * channels();
  const int whole = bytes / kRowPadding * kRowPadding;
  for (int i = 0; i < tap.count; ++i)
    window_[static_cast<std::size_t>(i)] = pixels_.row(tap.first + i);
  kernels_->vertical(rows_.column(index), window_.data(), whole, out);
  if (whole == bytes) return out;
  auto* const edges = edges_.as<std::uint8_t>();
  for (int i = 0; i < tap.count; ++i) {
    std::uint8_t* const edge = edges + std::ptrdiff_t{i} * kRowPadding;
    std::memset(edge, 0, kRowPadding);
    std::memcpy(edge, pixels_.row(tap.first + i) + whole, static_cast<std::size_t>(bytes - whole));
    window_[static_cast<std::size_t>(i)] = edge;
  }
  kernels_->vertical(rows_.column(index), window_.data(), kRowPadding, out + whole);
  return out;
}

std::size_t Resampler::memory_bytes() const {
  return line_.memory_bytes() + rows_.memory_bytes() + ring_.bytes() + summed_.bytes() +
         edges_.bytes() + out_.bytes() + window_.capacity() * sizeof(window_[0]);
}

}  // namespace flatout::data::transform
