#include "data/decode/webp/decoder.h"

#include <webp/decode.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "data/decode/jpeg/exif.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;
using Bytes = std::span<const std::byte>;

// libwebp keeps four bytes a pixel of lossless pictures, and one of the transparency of lossy ones;
// their pixels take three. Of a lossless picture the bound is that of progressive JPEG files; a
// lossy one of one colour has 560 pixels a byte as libwebp writes it.
constexpr std::int64_t kBytesOfPixel = 4;
constexpr std::int64_t kLeastWebpMemory = std::int64_t{64} << 20;
constexpr std::int64_t kLosslessMemoryPerFileByte = 1024;
constexpr std::int64_t kLossyMemoryPerFileByte = 4096;

constexpr std::size_t kHeadBytes = 12;  // "RIFF", the length of what follows, "WEBP"

const std::uint8_t* bytes_of(Bytes file) {
  return reinterpret_cast<const std::uint8_t*>(file.data());
}

std::string_view text_at(Bytes file, std::size_t at, std::size_t count) {
  return {reinterpret_cast<const char*>(file.data()) + at, count};
}

std::uint32_t little_endian_at(Bytes file, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i)
    out |= std::to_integer<std::uint32_t>(file[at + i]) << (8 * i);
  return out;
}

std::unexpected<base::Error> failure(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return base::fail(ErrorCode::kTooLarge, "WebP: there is no memory for this picture");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return base::fail(ErrorCode::kCorrupt,
                        "WebP: the file ends before the image does: it was cut");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return base::fail(ErrorCode::kInvalid, "WebP: a feature that libwebp does not know");
    default:
      return base::fail(ErrorCode::kCorrupt, "WebP: the file is damaged");
  }
}

// Of the EXIF chunk, which may or may not begin as JPEG's does.
int orientation_in(Bytes file) {
  for (std::size_t at = kHeadBytes; file.size() - at >= 8;) {
    const std::size_t length = little_endian_at(file, at + 4);
    const std::size_t there = file.size() - at - 8;
    if (length > there) return 1;
    if (text_at(file, at, 4) == "EXIF") {
      const Bytes content = file.subspan(at + 8, length);
      if (length >= 6 && text_at(content, 0, 6) == std::string_view("Exif\0\0", 6))
        return exif_orientation(content);
      std::vector<std::byte> segment(6 + length);
      std::memcpy(segment.data(), "Exif\0", 6);
      std::ranges::copy(content, segment.begin() + 6);
      return exif_orientation(segment);
    }
    at += 8 + std::min(there, length + (length & 1));
  }
  return 1;
}

// Colours of lossy files are blended from neighbours of the next two columns and rows, and pairs of
// both are decoded together. With so much more around it, a box is what it is in the whole image.
Box with_neighbours(const Box& box, int width, int height) {
  Box out = {.left = std::max(0, box.left / 2 * 2 - 2), .top = std::max(0, box.top / 2 * 2 - 2)};
  out.width = std::min(width, box.left + box.width + 2) - out.left;
  out.height = std::min(height, box.top + box.height + 2) - out.top;
  return out;
}

}  // namespace

bool is_webp(Bytes file) {
  return file.size() >= kHeadBytes + 4 && text_at(file, 0, 4) == "RIFF" &&
         text_at(file, 8, 7) == "WEBPVP8" &&
         (file[15] == std::byte{' '} || file[15] == std::byte{'L'} || file[15] == std::byte{'X'});
}

Result<WebpInfo> WebpDecoder::open(Bytes file) {
  file_ = {};
  if (!is_webp(file))
    return base::fail(ErrorCode::kCorrupt, "WebP: the file does not begin as one");
  const std::size_t length = std::size_t{8} + little_endian_at(file, 4);
  if (length > file.size()) return failure(VP8_STATUS_NOT_ENOUGH_DATA);
  file = file.first(std::max(length, kHeadBytes));
  WebPBitstreamFeatures features;
  const VP8StatusCode status = WebPGetFeatures(bytes_of(file), file.size(), &features);
  if (status != VP8_STATUS_OK) return failure(status);
  if (features.has_animation != 0)
    return base::fail(ErrorCode::kInvalid, "WebP: an animation, not a picture");
  const std::int64_t pixels = std::int64_t{features.width} * features.height;
  const std::string size = std::to_string(features.width) + " x " + std::to_string(features.height);
  if (pixels > max_pixels_) {
    return base::fail(ErrorCode::kTooLarge, "WebP: " + size + " pixels are above the limit of " +
                                                std::to_string(max_pixels_) +
                                                "; raise it if this file is trusted");
  }
  info_ = {.width = features.width,
           .height = features.height,
           .lossless = features.format == 2,
           .orientation = orientation_in(file)};
  const std::int64_t good_for = kLeastWebpMemory + static_cast<std::int64_t>(file.size()) *
                                                       (info_.lossless ? kLosslessMemoryPerFileByte
                                                                       : kLossyMemoryPerFileByte);
  if (kBytesOfPixel * pixels > good_for) {
    return base::fail(ErrorCode::kTooLarge,
                      "WebP: " + size + " pixels need memory out of proportion to their file of " +
                          std::to_string(file.size()) + " bytes");
  }
  file_ = file;
  return info_;
}

Result<PixelView> WebpDecoder::decode(const Box& box) {
  if (file_.empty()) return base::fail(ErrorCode::kInvalid, "WebP: no file is open");
  if (box.left < 0 || box.top < 0 || box.width <= 0 || box.height <= 0 ||
      box.left > info_.width - box.width || box.top > info_.height - box.height)
    return base::fail(ErrorCode::kInvalid, "WebP: a box that is not within the image");
  const Box wider = with_neighbours(box, info_.width, info_.height);
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0)
    return base::fail(ErrorCode::kUnavailable, "WebP: libwebp is of another version than it says");
  config.options.use_cropping = 1;
  config.options.crop_left = wider.left;
  config.options.crop_top = wider.top;
  config.options.crop_width = wider.width;
  config.options.crop_height = wider.height;
  const int stride = 3 * wider.width;
  const std::size_t size =
      static_cast<std::size_t>(stride) * static_cast<std::size_t>(wider.height);
  std::uint8_t* target = pixels_.get(size + 128);
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {.rgba = target, .stride = stride, .size = size};
  const VP8StatusCode status = WebPDecode(bytes_of(file_), file_.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) return failure(status);
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(box.top - wider.top) * stride +
                            std::ptrdiff_t{3} * (box.left - wider.left);
  return PixelView{.data = target + at,
                   .width = box.width,
                   .height = box.height,
                   .channels = 3,
                   .stride = stride};
}

}  // namespace flatout::data
