// Any bytes as a JPEG file: a box and the whole of it. What our own decoder accepts must be what
// libjpeg-turbo gives. First byte: at which part of its size.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "data/decode/jpeg/decoder.h"
#include "data/decode/jpeg/own_decoder.h"
#include "data/decode/jpeg/turbo_decoder.h"
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

// Work follows the file's bytes, whatever its scans say; a row of blocks more may be visited.
void check_work(const TurboJpeg& turbo, std::span<const std::byte> file) {
  constexpr std::int64_t kMost = std::int64_t{1} << 24;
  if (turbo.visits() > kMost + 32 * static_cast<std::int64_t>(file.size()) + 65536) std::abort();
}

void check(JpegDecoder& decoder, OwnJpeg& plain, TurboJpeg& turbo, std::span<const std::byte> file,
           const Box& box, int scale_denom) {
  const auto got = decoder.decode(box, JpegColour::kRgb, scale_denom);
  if (!decoder.was_own()) {
    (void)turbo.decode(file, box, scale_denom);
    check_work(turbo, file);
  }
  if (!got || !decoder.was_own()) return;
  JpegHeaders headers(file);
  if (headers.open() != JpegHeaders::Next::kScan) std::abort();
  const auto plainly = plain.decode(file, headers, box, scale_denom);
  if (!plainly) std::abort();
  // libjpeg may find an error below the box's pixels, which our decoder does not look at.
  const auto expected = turbo.decode(file, box, scale_denom);
  check_work(turbo, file);
  if (expected && !is_same(*plainly, *expected)) std::abort();
  if (plainly->channels == got->channels && !is_same(*plainly, *got)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const int denom = 1 << *data++ % 4;
  --size;
  const auto file = std::as_bytes(std::span(data, size));
  (void)is_orientation_unclear(file, 1);
  JpegDecoder decoder({.max_pixels = 1 << 18});
  const auto info = decoder.open(file);
  TurboJpeg turbo;
  if (!info) {  // what is refused from its markers is bounded while it is decoded, too
    if (turbo.open(file)) (void)turbo.decode(file, {0, 0, 1, 1}, 1);
    check_work(turbo, file);
    return 0;
  }
  OwnJpeg plain(baseline::kJpegKernels);
  const int width = scaled_side(info->width, denom);
  const int height = scaled_side(info->height, denom);
  check(decoder, plain, turbo, file, {0, 0, width, height}, denom);
  // A box that the file itself chooses.
  const int left = data[size / 2] % width;
  const int top = data[size / 3] % height;
  check(decoder, plain, turbo, file,
        {left, top, 1 + data[size - 1] % (width - left), 1 + data[size / 4] % (height - top)},
        denom);
  return 0;
}
