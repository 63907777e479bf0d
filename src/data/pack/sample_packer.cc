#include "data/pack/sample_packer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "data/pack/jpeg_encoder.h"
#include "data/transform/kernels/best_kernels.h"
#include "data/transform/resample/pass_order.h"
#include "data/transform/steps/steps.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr int kPillowMajor = 13;  // as a loader takes it where nothing is said

PackedSample raw(const PixelView& pixels) {
  const std::size_t row = static_cast<std::size_t>(pixels.width) * 3;
  PackedSample out{.bytes = std::vector<std::byte>(row * static_cast<std::size_t>(pixels.height)),
                   .width = static_cast<std::uint32_t>(pixels.width),
                   .height = static_cast<std::uint32_t>(pixels.height)};
  for (int y = 0; y < pixels.height; ++y)
    std::memcpy(out.bytes.data() + row * static_cast<std::size_t>(y), pixels.row(y), row);
  return out;
}

Result<PackedSample> original(std::span<const std::byte> file) {
  return PackedSample{.bytes = {file.begin(), file.end()}};
}

}  // namespace

SamplePacker::SamplePacker(const SampleForm& form)
    : form_(form), resampler_(transform::best_kernels()) {}

Result<PackedSample> SamplePacker::make(const Source& source, std::int64_t index) {
  const auto file = source.read(index, buffer_);
  if (!file) return std::unexpected(file.error());
  auto out = form_.kind == ShardKind::kOriginal ? original(*file) : recode(*file);
  if (out && out->bytes.size() > kMostShardSampleBytes)
    out = base::fail(ErrorCode::kTooLarge, "more bytes than a sample may have");
  if (!out) return base::fail(out.error().code, source.name(index) + ": " + out.error().message);
  return out;
}

Result<PackedSample> SamplePacker::recode(std::span<const std::byte> file) {
  bool shrunk = false;
  const auto pixels = resized(file, shrunk);
  if (!pixels) return std::unexpected(pixels.error());
  if (form_.kind == ShardKind::kRaw) {
    if (std::cmp_greater(std::max(pixels->width, pixels->height), kMostRawSide))
      return base::fail(ErrorCode::kTooLarge, "more pixels a side than a raw sample may have");
    return raw(*pixels);
  }
  auto encoded = encode_jpeg(*pixels, form_.quality);
  if (!encoded) return std::unexpected(encoded.error());
  if (!shrunk && decoder_.is_jpeg() && file.size() <= encoded->size()) return original(file);
  return PackedSample{.bytes = std::move(*encoded)};
}

// The whole picture, no larger than asked for.
Result<PixelView> SamplePacker::resized(std::span<const std::byte> file, bool& shrunk) {
  const auto info = decoder_.open(file);
  if (!info) return std::unexpected(info.error());
  const bool grey = form_.kind == ShardKind::kJpeg && decoder_.is_grey_jpeg();
  const auto pixels = decoder_.decode({0, 0, info->width, info->height}, grey ? 1 : 3);
  if (!pixels) return pixels;
  shrunk = std::min(info->width, info->height) > form_.size;
  if (!shrunk) return pixels;
  transform::Picture picture{transform::Axis(info->width), transform::Axis(info->height)};
  const auto applied = transform::apply_step(transform::ResizeShorter{.side = form_.size},
                                             DrawStream({}, {}), picture);
  if (!applied) return std::unexpected(applied.error());
  resampler_.begin(picture.x, picture.y,
                   transform::pillow_pass_order(kPillowMajor, picture.x, picture.y), *pixels);
  return shrink(*pixels, static_cast<int>(picture.x.length()),
                static_cast<int>(picture.y.length()));
}

// The resampler's rows, interleaved.
PixelView SamplePacker::shrink(const PixelView& pixels, int width, int height) {
  const std::ptrdiff_t channels = pixels.channels;
  const std::ptrdiff_t stride = width * channels;
  std::uint8_t* out = pixels_.get(static_cast<std::size_t>(stride * height));
  for (int turn = 0; turn < resampler_.height(); ++turn) {
    const std::uint8_t* planes = resampler_.row(turn);
    std::uint8_t* row = out + resampler_.next_index(turn) * stride;
    for (std::ptrdiff_t channel = 0; channel < channels; ++channel) {
      const std::uint8_t* from = planes + channel * resampler_.plane();
      for (std::ptrdiff_t x = 0; x < width; ++x) row[x * channels + channel] = from[x];
    }
  }
  return {
      .data = out, .width = width, .height = height, .channels = pixels.channels, .stride = stride};
}

}  // namespace flatout::data
