#include "data/decode/jpeg/decoder.h"

#include <optional>
#include <string>
#include <utility>

#include "data/decode/jpeg/headers.h"
#include "data/decode/jpeg/kernels.h"
#include "data/decode/jpeg/own_decoder.h"
#include "data/decode/jpeg/scans.h"
#include "data/decode/jpeg/turbo_decoder.h"
#include "data/decode/luma.h"
#include "data/decode/scratch_bytes.h"

namespace flatout::data {
namespace {

using base::ErrorCode;

bool is_within(const Box& box, int width, int height) {
  return box.left >= 0 && box.top >= 0 && box.width > 0 && box.height > 0 && box.width <= width &&
         box.left <= width - box.width && box.height <= height && box.top <= height - box.height;
}

std::string text_of(const Box& box) {
  return std::to_string(box.width) + " x " + std::to_string(box.height) + " at (" +
         std::to_string(box.left) + ", " + std::to_string(box.top) + ")";
}

std::string size_of(int width, int height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

// A block takes a bit at least, whatever the coding: a picture with more of them is not in the
// file, and its memory is not taken. Small ones are left to libjpeg, which fills up what is
// missing.
constexpr std::int64_t kLeastBlocks = std::int64_t{1} << 17;

bool can_hold(std::size_t file_bytes, const Box& box, int scale_denom) {
  const std::int64_t pixels =
      static_cast<std::int64_t>(box.width) * box.height * scale_denom * scale_denom;
  return pixels / 64 <= kLeastBlocks + 8 * static_cast<std::int64_t>(file_bytes);
}

bool is_scale(int denom) { return denom == 1 || denom == 2 || denom == 4 || denom == 8; }

}  // namespace

struct JpegDecoder::State {
  explicit State(JpegLimits given) : limits(given) {}

  JpegLimits limits;
  std::span<const std::byte> file;
  std::optional<JpegHeaders> headers;  // where our decoder will try
  JpegInfo info;
  OwnJpeg own;
  TurboJpeg turbo;
  ScratchBytes pixels;
  bool was_own = false;

  base::Result<PixelView> decode(const Box& box, int scale_denom);
  PixelView replicate(const PixelView& grey);
};

base::Result<PixelView> JpegDecoder::State::decode(const Box& box, int scale_denom) {
  was_own = false;
  if (!jpeg_has_end(file, headers ? headers->scan().data_begin : 2)) {
    return base::fail(
        ErrorCode::kCorrupt,
        "JPEG: the file ends before the image does: no end marker behind its data; it was cut");
  }
  if (headers) {
    if (const auto view = own.decode(file, *headers, box, scale_denom)) {
      was_own = true;
      return *view;
    }
  }
  return turbo.decode(file, box, scale_denom);
}

PixelView JpegDecoder::State::replicate(const PixelView& grey) {
  const std::ptrdiff_t stride = 3 * static_cast<std::ptrdiff_t>(grey.width);
  std::uint8_t* target = pixels.get(static_cast<std::size_t>(stride * grey.height) + 128);
  for (int y = 0; y < grey.height; ++y) {
    const std::uint8_t* row = grey.row(y);
    jpeg_kernels().interleave(row, row, row, grey.width, target + y * stride);
  }
  return {
      .data = target, .width = grey.width, .height = grey.height, .channels = 3, .stride = stride};
}

JpegDecoder::JpegDecoder(JpegLimits limits) : state_(std::make_unique<State>(limits)) {}
JpegDecoder::~JpegDecoder() = default;
JpegDecoder::JpegDecoder(JpegDecoder&&) noexcept = default;
JpegDecoder& JpegDecoder::operator=(JpegDecoder&&) noexcept = default;

base::Result<JpegInfo> JpegDecoder::open(std::span<const std::byte> file) {
  state_->file = {};
  state_->headers.reset();
  JpegHeaders headers(file);
  JpegInfo info;
  if (headers.open() == JpegHeaders::Next::kScan && own_jpeg_takes(headers)) {
    info = {.width = headers.width,
            .height = headers.height,
            .components = headers.component_count,
            .orientation = headers.orientation,
            .own = true};
  } else {
    if (auto good = check_jpeg_scans(file); !good) return std::unexpected(good.error());
    const auto turbo = state_->turbo.open(file);
    if (!turbo) return std::unexpected(turbo.error());
    info = {.width = turbo->width,
            .height = turbo->height,
            .components = turbo->components,
            .orientation = turbo->orientation};
  }
  if (static_cast<std::int64_t>(info.width) * info.height > state_->limits.max_pixels) {
    return base::fail(ErrorCode::kTooLarge, "JPEG: " + size_of(info.width, info.height) +
                                                " pixels are above the limit of " +
                                                std::to_string(state_->limits.max_pixels) +
                                                "; raise it if this file is trusted");
  }
  state_->file = file;
  state_->info = info;
  if (info.own) state_->headers = headers;
  return info;
}

base::Result<PixelView> JpegDecoder::decode(const Box& box, JpegColour colour, int scale_denom) {
  if (state_->file.empty()) return base::fail(ErrorCode::kInvalid, "JPEG: no file is open");
  if (!is_scale(scale_denom)) {
    return base::fail(ErrorCode::kInvalid, "JPEG: no scale of 1/" + std::to_string(scale_denom) +
                                               "; 1/1, 1/2, 1/4 and 1/8 are possible");
  }
  const int width = scaled_side(state_->info.width, scale_denom);
  const int height = scaled_side(state_->info.height, scale_denom);
  if (!is_within(box, width, height)) {
    return base::fail(ErrorCode::kInvalid, "JPEG: a box of " + text_of(box) +
                                               " is not within the image of " +
                                               size_of(width, height) + " pixels");
  }
  if (!can_hold(state_->file.size(), box, scale_denom)) {
    return base::fail(ErrorCode::kTooLarge, "JPEG: " + std::to_string(state_->file.size()) +
                                                " bytes cannot hold " +
                                                size_of(box.width, box.height) + " pixels");
  }
  const auto view = state_->decode(box, scale_denom);
  if (!view) return view;
  if (colour == JpegColour::kRgb && view->channels == 1) return state_->replicate(*view);
  if (colour == JpegColour::kGrey && view->channels == 3) return to_grey(*view, state_->pixels);
  return view;
}

bool JpegDecoder::was_own() const { return state_->was_own; }

}  // namespace flatout::data
