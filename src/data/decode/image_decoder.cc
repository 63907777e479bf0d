#include "data/decode/image_decoder.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "data/decode/jpeg/decoder.h"
#include "data/decode/luma.h"
#include "data/decode/orientation.h"
#include "data/decode/png/decoder.h"
#include "data/decode/unclear_orientation.h"
#include "data/decode/webp/decoder.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;
using Bytes = std::span<const std::byte>;

enum class Format : std::uint8_t { kNone, kJpeg, kPng, kWebp };

bool begins_with(Bytes file, std::span<const unsigned char> what) {
  if (file.size() < what.size()) return false;
  for (std::size_t i = 0; i < what.size(); ++i) {
    if (std::to_integer<unsigned char>(file[i]) != what[i]) return false;
  }
  return true;
}

Format format_of(Bytes file) {
  constexpr std::array<unsigned char, 3> kJpegBegins = {0xff, 0xd8, 0xff};
  if (begins_with(file, kJpegBegins)) return Format::kJpeg;
  if (is_png(file)) return Format::kPng;
  return is_webp(file) ? Format::kWebp : Format::kNone;
}

// "GIF89a\x01\x00": what is no ASCII as its number.
std::string shown_beginning(Bytes file) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::byte byte : file.first(std::min<std::size_t>(file.size(), 8))) {
    const auto value = std::to_integer<unsigned>(byte);
    if (value > 0x20 && value < 0x7f && value != '"' && value != '\\') {
      out += static_cast<char>(value);
    } else {
      out += {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]};
    }
  }
  return out;
}

using Said = std::pair<ImageSize, int>;  // a picture's size and its orientation

template <typename Info>
Result<Said> said(const Result<Info>& opened) {
  if (!opened) return std::unexpected(opened.error());
  return Said{{opened->width, opened->height}, opened->orientation};
}

}  // namespace

struct ImageDecoder::State {
  explicit State(const ImageDecoderOptions& options)
      : turns(options.exif_orientation),
        strict(options.strict_orientation),
        fast(options.fast),
        jpeg({.max_pixels = options.max_pixels}),
        png(options.max_pixels),
        webp(options.max_pixels) {}

  bool turns;
  bool strict;
  bool fast;
  Format format = Format::kNone;
  bool grey_jpeg = false;
  ImageSize size;  // as it is stored
  Turn turn;
  JpegDecoder jpeg;
  PngDecoder png;
  WebpDecoder webp;
  ScratchBytes grey;
  ScratchBytes turned_pixels;

  // What the headers of a file of this format say.
  Result<Said> open(Format as, Bytes file);
  Result<PixelView> decode(const Box& box, int channels, int scale_denom);
};

Result<Said> ImageDecoder::State::open(Format as, Bytes file) {
  switch (as) {
    case Format::kJpeg: {
      const auto opened = jpeg.open(file);
      grey_jpeg = opened && opened->components == 1;
      return said(opened);
    }
    case Format::kPng:
      return said(png.open(file));
    case Format::kWebp:
      return said(webp.open(file));
    case Format::kNone:
      break;
  }
  return base::fail(
      ErrorCode::kInvalid,
      "neither a JPEG, a PNG nor a WebP file; it begins with \"" + shown_beginning(file) + "\"");
}

Result<PixelView> ImageDecoder::State::decode(const Box& box, int channels, int scale_denom) {
  if (format == Format::kJpeg)
    return jpeg.decode(box, channels == 1 ? JpegColour::kGrey : JpegColour::kRgb, scale_denom);
  const auto view = format == Format::kPng ? png.decode(box) : webp.decode(box);
  if (!view || channels != 1) return view;
  return to_grey(*view, grey);
}

ImageDecoder::ImageDecoder(ImageDecoderOptions options)
    : state_(std::make_unique<State>(options)) {}
ImageDecoder::~ImageDecoder() = default;
ImageDecoder::ImageDecoder(ImageDecoder&&) noexcept = default;
ImageDecoder& ImageDecoder::operator=(ImageDecoder&&) noexcept = default;

Result<ImageSize> ImageDecoder::open(Bytes file) {
  state_->format = Format::kNone;
  const Format format = format_of(file);
  const auto said = state_->open(format, file);
  if (!said) return std::unexpected(said.error());
  if (state_->turns && state_->strict && is_orientation_unclear(file, said->second)) {
    return base::fail(ErrorCode::kInvalid,
                      "which way up it is stands elsewhere than in a plain EXIF tag");
  }
  state_->format = format;
  state_->size = said->first;
  state_->turn = state_->turns ? turn_of(said->second) : Turn{};
  if (state_->turn.swapped) return ImageSize{state_->size.height, state_->size.width};
  return state_->size;
}

bool ImageDecoder::is_jpeg() const { return state_->format == Format::kJpeg; }
bool ImageDecoder::is_grey_jpeg() const { return is_jpeg() && state_->grey_jpeg; }

bool ImageDecoder::can_scale() const { return state_->fast && is_jpeg(); }

ImageSize ImageDecoder::from_end() const {
  const Turn& turn = state_->turn;
  const int width = turn.from_right ? state_->size.width : 0;
  const int height = turn.from_bottom ? state_->size.height : 0;
  return turn.swapped ? ImageSize{height, width} : ImageSize{width, height};
}

Result<PixelView> ImageDecoder::decode(const Box& box, int channels, int scale_denom) {
  if (state_->format == Format::kNone) return base::fail(ErrorCode::kInvalid, "no picture is open");
  if (scale_denom != 1 && !can_scale())
    return base::fail(ErrorCode::kInvalid,
                      "only JPEG files can be decoded at a part of their size");
  const Turn& turn = state_->turn;
  if (turn.is_none()) return state_->decode(box, channels, scale_denom);
  const Box stored = stored_box(turn, box, scaled_side(state_->size.width, scale_denom),
                                scaled_side(state_->size.height, scale_denom));
  const auto view = state_->decode(stored, channels, scale_denom);
  if (!view) return view;
  return turned(*view, turn, state_->turned_pixels);
}

}  // namespace flatout::data
