#include "data/decode/png/decoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "data/decode/png/stream.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

// One of the seven pictures that an interlaced file consists of (PNG specification, 8.2), or the
// whole picture: where its columns and rows lie.
struct Pass {
  int left, top, right_step, down_step;
};
constexpr Pass kWhole = {0, 0, 1, 1};
constexpr std::array<Pass, 7> kPasses = {{{0, 0, 8, 8},
                                          {4, 0, 8, 8},
                                          {0, 4, 4, 8},
                                          {2, 0, 4, 4},
                                          {0, 2, 2, 4},
                                          {1, 0, 2, 2},
                                          {0, 1, 1, 2}}};

// How many of first, first + step, ... lie below `end`.
int count_below(int end, int first, int step) {
  return end <= first ? 0 : (end - first + step - 1) / step;
}

// Reads pixels of a row, each to three bytes.
class RowReader {
 public:
  explicit RowReader(const PngHeader& header) : depth_(header.depth) {
    const bool sixteen = header.depth == 16;
    switch (header.colour) {
      case PngColour::kGrey:
        kind_ = sixteen ? Kind::kClip : Kind::kLookUp;
        fill_grey();
        break;
      case PngColour::kPalette:
        kind_ = Kind::kLookUp;
        colours_ = header.palette;
        break;
      case PngColour::kGreyAlpha:
        set_bytes(sixteen ? 4 : 2, 0);
        break;
      case PngColour::kRgb:
        set_bytes(sixteen ? 6 : 3, sixteen ? 2 : 1);
        break;
      case PngColour::kRgbAlpha:
        set_bytes(sixteen ? 8 : 4, sixteen ? 2 : 1);
        break;
    }
  }

  // Pixels from <= i < end of `row`, `step` bytes from one to the next in `target`.
  void read(const std::uint8_t* row, int from, int end, std::ptrdiff_t step,
            std::uint8_t* target) const {
    switch (kind_) {
      case Kind::kLookUp:
        return depth_ == 8 ? look_up(row, from, end, step, target)
                           : look_up_bits(row, from, end, step, target);
      case Kind::kClip:
        return clip(row, from, end, step, target);
      case Kind::kBytes:
        return copy(row, from, end, step, target);
    }
  }

 private:
  enum class Kind : std::uint8_t { kLookUp, kClip, kBytes };

  void fill_grey() {
    const int most = (1 << std::min(depth_, 8)) - 1;
    for (int i = 0; i <= most; ++i) {
      const auto value = static_cast<std::uint8_t>(i * 255 / most);
      colours_[static_cast<std::size_t>(i)] = {value, value, value};
    }
  }

  void set_bytes(int pixel, int channel) {
    kind_ = Kind::kBytes;
    pixel_bytes_ = pixel;
    channel_bytes_ = channel;
  }

  void put(std::size_t value, std::uint8_t* target) const {
    std::memcpy(target, colours_[value].data(), 3);
  }

  void look_up(const std::uint8_t* row, int from, int end, std::ptrdiff_t step,
               std::uint8_t* target) const {
    for (int i = from; i < end; ++i, target += step) put(row[i], target);
  }

  void look_up_bits(const std::uint8_t* row, int from, int end, std::ptrdiff_t step,
                    std::uint8_t* target) const {
    const int a_byte = 8 / depth_;
    const int mask = (1 << depth_) - 1;
    for (int i = from; i < end; ++i, target += step) {
      const int shift = 8 - depth_ * (i % a_byte + 1);
      put(static_cast<std::size_t>(row[i / a_byte] >> shift & mask), target);
    }
  }

  static void clip(const std::uint8_t* row, int from, int end, std::ptrdiff_t step,
                   std::uint8_t* target) {
    row += 2 * static_cast<std::ptrdiff_t>(from);
    for (int i = from; i < end; ++i, row += 2, target += step)
      target[0] = target[1] = target[2] = row[0] != 0 ? 255 : row[1];
  }

  void copy(const std::uint8_t* row, int from, int end, std::ptrdiff_t step,
            std::uint8_t* target) const {
    const std::ptrdiff_t pixel = pixel_bytes_;
    const std::ptrdiff_t channel = channel_bytes_;
    row += pixel * from;
    if (pixel == 3 && step == 3) {
      std::memcpy(target, row, 3 * static_cast<std::size_t>(end - from));
      return;
    }
    for (int i = from; i < end; ++i, row += pixel, target += step) {
      target[0] = row[0];
      target[1] = row[channel];
      target[2] = row[2 * channel];
    }
  }

  int depth_;
  Kind kind_ = Kind::kBytes;
  int pixel_bytes_ = 0;
  int channel_bytes_ = 0;
  std::array<std::array<std::uint8_t, 3>, 256> colours_ = {};
};

bool is_within(const Box& box, const PngHeader& header) {
  return box.left >= 0 && box.top >= 0 && box.width > 0 && box.height > 0 &&
         box.width <= header.width && box.left <= header.width - box.width &&
         box.height <= header.height && box.top <= header.height - box.height;
}

// Deflate makes at most 1032 bytes of one: a picture of more is not in the file, and its memory is
// not taken.
bool can_hold(const PngFile& file, const Box& box) {
  constexpr std::int64_t kLeastBytes = std::int64_t{1} << 24;
  constexpr std::int64_t kMostOfOneByte = 1032;
  const std::int64_t bits =
      static_cast<std::int64_t>(box.width) * box.height * file.header.bits_per_pixel();
  return bits / 8 <= kLeastBytes + kMostOfOneByte * static_cast<std::int64_t>(file.data_bytes);
}

}  // namespace

struct PngDecoder::State {
  State(std::int64_t given, const PngKernels& chosen)
      : max_pixels(given), kernels(chosen), stream(chosen) {}

  std::int64_t max_pixels;
  const PngKernels& kernels;
  PngFile file;
  PngStream stream;
  ScratchBytes rows;
  ScratchBytes pixels;

  std::size_t bytes_of(std::int64_t columns) const {
    return static_cast<std::size_t>((columns * file.header.bits_per_pixel() + 7) / 8);
  }
  Result<PixelView> decode(const Box& box);
  Result<void> decode_pass(const Pass& pass, const Box& box, const RowReader& reader,
                           std::uint8_t* target);
  Result<void> next_row(std::size_t bytes, std::size_t wanted, const std::uint8_t* above,
                        std::uint8_t* row);
  // What all rows of a pass take as they were compressed.
  std::size_t bytes_of(const Pass& pass) const {
    const int columns = count_below(file.header.width, pass.left, pass.right_step);
    const int rows_of = count_below(file.header.height, pass.top, pass.down_step);
    return columns == 0 ? 0 : (1 + bytes_of(columns)) * static_cast<std::size_t>(rows_of);
  }
};

Result<PixelView> PngDecoder::State::decode(const Box& box) {
  const PngHeader& header = file.header;
  const std::span<const Pass> passes =
      header.interlaced ? std::span<const Pass>(kPasses) : std::span<const Pass>(&kWhole, 1);
  std::size_t total = 0;
  for (const Pass& pass : passes) total += bytes_of(pass);
  const bool whole = header.interlaced || box.top + box.height == header.height;
  const std::size_t longest = 1 + bytes_of(header.width);
  if (auto done = stream.open(file, longest, total, whole); !done)
    return std::unexpected(done.error());
  const std::ptrdiff_t stride = 3 * static_cast<std::ptrdiff_t>(box.width);
  std::uint8_t* target = pixels.get(static_cast<std::size_t>(stride * box.height) + 128);
  const RowReader reader(header);
  for (const Pass& pass : passes) {
    if (auto done = decode_pass(pass, box, reader, target); !done)
      return std::unexpected(done.error());
  }
  if (whole) {
    if (auto done = stream.finish(); !done) return std::unexpected(done.error());
  }
  return PixelView{
      .data = target, .width = box.width, .height = box.height, .channels = 3, .stride = stride};
}

// Rows of the pass down to the last one that the box needs; of an interlaced file all, since the
// next pass lies behind them.
Result<void> PngDecoder::State::decode_pass(const Pass& pass, const Box& box,
                                            const RowReader& reader, std::uint8_t* target) {
  const int columns = count_below(file.header.width, pass.left, pass.right_step);
  if (columns == 0) return {};
  const int from = count_below(box.left, pass.left, pass.right_step);
  const int end = count_below(box.left + box.width, pass.left, pass.right_step);
  const std::size_t wanted = bytes_of(end);
  const int last = file.header.interlaced ? file.header.height : box.top + box.height;
  const std::size_t room = bytes_of(columns) + kPngRowBeyond;
  std::uint8_t* above = rows.get(2 * room);
  std::uint8_t* row = above + room;
  std::memset(above, 0, wanted + kPngRowBeyond);
  const std::ptrdiff_t step = 3 * static_cast<std::ptrdiff_t>(pass.right_step);
  for (int y = pass.top; y < last; y += pass.down_step) {
    const auto done = next_row(bytes_of(columns), wanted, above, row);
    if (!done) return done;
    if (y >= box.top && y < box.top + box.height && from < end) {
      const int x = pass.left + from * pass.right_step - box.left;
      const std::ptrdiff_t at = 3 * (static_cast<std::ptrdiff_t>(y - box.top) * box.width + x);
      reader.read(row, from, end, step, target + at);
    }
    std::swap(above, row);
  }
  return {};
}

// The first `wanted` of a row's bytes; black where the data are over.
Result<void> PngDecoder::State::next_row(std::size_t bytes, std::size_t wanted,
                                         const std::uint8_t* above, std::uint8_t* row) {
  const auto taken = stream.take(1 + bytes);
  if (!taken) return std::unexpected(taken.error());
  if (*taken == nullptr) {
    std::memset(row, 0, wanted);
    return {};
  }
  const std::uint8_t filter = **taken;
  if (filter > static_cast<std::uint8_t>(PngFilter::kPaeth)) {
    return base::fail(ErrorCode::kCorrupt,
                      "PNG: a row is filtered in a way that the standard does "
                      "not have; the file is damaged");
  }
  kernels.unfilter(static_cast<PngFilter>(filter), *taken + 1, above, wanted,
                   std::max(1, file.header.bits_per_pixel() / 8), row);
  return {};
}

PngDecoder::PngDecoder(std::int64_t max_pixels, const PngKernels& kernels)
    : state_(std::make_unique<State>(max_pixels, kernels)) {}
PngDecoder::~PngDecoder() = default;
PngDecoder::PngDecoder(PngDecoder&&) noexcept = default;
PngDecoder& PngDecoder::operator=(PngDecoder&&) noexcept = default;

Result<PngInfo> PngDecoder::open(std::span<const std::byte> file) {
  state_->file.data.clear();
  auto read = read_png(file);
  if (!read) return std::unexpected(read.error());
  const PngHeader& header = read->header;
  if (static_cast<std::int64_t>(header.width) * header.height > state_->max_pixels) {
    return base::fail(ErrorCode::kTooLarge, "PNG: " + std::to_string(header.width) + " x " +
                                                std::to_string(header.height) +
                                                " pixels are above the limit of " +
                                                std::to_string(state_->max_pixels) +
                                                "; raise it if this file is trusted");
  }
  const PngInfo info = {header.width, header.height, header.orientation};
  state_->file = std::move(*read);
  return info;
}

Result<PixelView> PngDecoder::decode(const Box& box) {
  if (state_->file.data.empty()) return base::fail(ErrorCode::kInvalid, "PNG: no file is open");
  if (!is_within(box, state_->file.header))
    return base::fail(ErrorCode::kInvalid, "PNG: a box that is not within the image");
  if (!can_hold(state_->file, box)) {
    return base::fail(ErrorCode::kTooLarge, "PNG: " + std::to_string(state_->file.data_bytes) +
                                                " compressed bytes cannot hold " +
                                                std::to_string(box.width) + " x " +
                                                std::to_string(box.height) + " pixels");
  }
  return state_->decode(box);
}

}  // namespace flatout::data
