// Any bytes as a JPEG file: a box and the whole of it. What our own decoder accepts must be what
// libjpeg-turbo gives.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "data/decode/jpeg.h"
#include "data/decode/jpeg_own.h"
#include "data/decode/jpeg_turbo.h"
#include "data/decode/unclear_orientation.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

bool is_same(const PixelView& a, const PixelView& b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) return false;
  for (int y = 0; y < a.height; ++y) {
    if (std::memcmp(a.row(y), b.row(y),
                    static_cast<std::size_t>(a.width) * static_cast<std::size_t>(a.channels)) != 0)
      return false;
  }
  return true;
}

void check(JpegDecoder& decoder, OwnJpeg& plain, TurboJpeg& turbo, std::span<const std::byte> file,
           const Box& box) {
  const auto got = decoder.decode(box);
  if (!got || !decoder.was_own()) return;
  JpegHeaders headers(file);
  if (headers.open() != JpegHeaders::Next::kScan) std::abort();
  const auto plainly = plain.decode(file, headers, box);
  if (!plainly) std::abort();
  // libjpeg may find an error below the box's pixels, which our decoder does not look at.
  const auto expected = turbo.decode(file, box);
  if (expected && !is_same(*plainly, *expected)) std::abort();
  if (plainly->channels == got->channels && !is_same(*plainly, *got)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  (void)is_orientation_unclear(file, 1);
  JpegDecoder decoder({.max_pixels = 1 << 18});
  const auto info = decoder.open(file);
  if (!info) return 0;
  OwnJpeg plain(baseline::kJpegKernels);
  TurboJpeg turbo;
  check(decoder, plain, turbo, file, {0, 0, info->width, info->height});
  // A box that the file itself chooses.
  const int left = data[size / 2] % info->width;
  const int top = data[size / 3] % info->height;
  check(decoder, plain, turbo, file,
        {left, top, 1 + data[size - 1] % (info->width - left),
         1 + data[size / 4] % (info->height - top)});
  return 0;
}
