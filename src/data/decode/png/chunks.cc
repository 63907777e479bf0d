#include "data/decode/png/chunks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "data/decode/jpeg/exif.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;
using Bytes = std::span<const std::byte>;

constexpr std::array<unsigned char, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

std::uint32_t number_at(Bytes bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i)
    out = out << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return out;
}

// CRC-32 of ISO 3309 (PNG specification, annex D).
constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> out = {};
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1) != 0 ? 0xEDB88320U ^ value >> 1 : value >> 1;
    out[i] = value;
  }
  return out;
}();

std::uint32_t crc_of(Bytes bytes) {
  std::uint32_t out = ~0U;
  for (const std::byte byte : bytes)
    out = kCrcTable[(out ^ std::to_integer<std::uint32_t>(byte)) & 0xff] ^ out >> 8;
  return ~out;
}

std::unexpected<base::Error> corrupt(const std::string& what) {
  return base::fail(ErrorCode::kCorrupt, "PNG: " + what);
}

struct Chunk {
  std::string_view name;
  Bytes content;
  std::size_t missing = 0;  // bytes that the file ends before
};

bool is_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  });
}

// Chunk after chunk.
class Chunks {
 public:
  explicit Chunks(Bytes file) : file_(file) {}

  // False where no chunk begins here: the file ends, or goes on with something else.
  bool next(Chunk& out) {
    if (file_.size() - at_ < 8) return false;
    const std::uint32_t length = number_at(file_, at_);
    out.name = {reinterpret_cast<const char*>(file_.data()) + at_ + 4, 4};
    if (!is_name(out.name)) return false;
    named_ = file_.subspan(at_ + 4);
    const std::size_t there = std::min<std::size_t>(length, named_.size() - 4);
    out.content = named_.subspan(4, there);
    out.missing = length - there;
    at_ += 8 + there;
    at_ += std::min<std::size_t>(4, file_.size() - at_);
    return true;
  }

  // Of the last chunk.
  bool has_right_checksum(const Chunk& chunk) const {
    const std::size_t length = 4 + chunk.content.size();
    return named_.size() - length >= 4 && crc_of(named_.first(length)) == number_at(named_, length);
  }

 private:
  Bytes file_;
  Bytes named_;
  std::size_t at_ = kSignature.size();
};

// How many bytes Pillow wants of chunks that say nothing about pixels.
std::size_t least_of(std::string_view name) {
  if (name == "IHDR") return 13;
  if (name == "gAMA") return 4;
  if (name == "cHRM") return 32;
  if (name == "sRGB") return 1;
  if (name == "pHYs") return 9;
  if (name == "acTL") return 8;
  if (name == "fcTL") return 26;
  return 0;
}

bool is_depth_of(PngColour colour, int depth) {
  switch (colour) {
    case PngColour::kGrey:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case PngColour::kPalette:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case PngColour::kRgb:
    case PngColour::kGreyAlpha:
    case PngColour::kRgbAlpha:
      return depth == 8 || depth == 16;
  }
  return false;
}

Result<void> read_header(Bytes content, PngHeader& out) {
  const std::uint32_t width = number_at(content, 0);
  const std::uint32_t height = number_at(content, 4);
  constexpr std::uint32_t kMost = std::numeric_limits<std::int32_t>::max();
  if (width == 0 || height == 0 || width > kMost || height > kMost) {
    return base::fail(ErrorCode::kInvalid, "PNG: " + std::to_string(width) + " x " +
                                               std::to_string(height) + " is no size of a picture");
  }
  out.width = static_cast<int>(width);
  out.height = static_cast<int>(height);
  out.depth = std::to_integer<int>(content[8]);
  out.colour = static_cast<PngColour>(content[9]);
  out.interlaced = content[12] != std::byte{0};
  if (!is_depth_of(out.colour, out.depth)) {
    return base::fail(ErrorCode::kInvalid,
                      "PNG: colours of kind " + std::to_string(std::to_integer<int>(content[9])) +
                          " with " + std::to_string(out.depth) + " bits are not in the standard");
  }
  if (content[11] != std::byte{0})
    return base::fail(ErrorCode::kInvalid, "PNG: a kind of filter that the standard does not have");
  return {};
}

Result<void> read_palette(Bytes content, PngHeader& out) {
  const std::size_t entries = content.size() / 3;
  if (out.colour != PngColour::kPalette) return {};  // a suggestion
  if (entries > out.palette.size()) return corrupt("a palette of more than 256 colours");
  out.palette = {};
  for (std::size_t i = 0; i < 3 * entries; ++i)
    out.palette[i / 3][i % 3] = std::to_integer<std::uint8_t>(content[i]);
  return {};
}

Result<void> check_transparency(Bytes content, PngColour colour) {
  const std::size_t least = colour == PngColour::kRgb ? 6 : colour == PngColour::kGrey ? 2 : 0;
  if (content.size() < least) return corrupt("its tRNS chunk is too short");
  return {};
}

// An animation's first frame. Only one that is the whole picture is a picture of its own.
Result<void> check_frame(Bytes content, const PngHeader& header) {
  if (number_at(content, 4) == static_cast<std::uint32_t>(header.width) &&
      number_at(content, 8) == static_cast<std::uint32_t>(header.height) &&
      number_at(content, 12) == 0 && number_at(content, 16) == 0)
    return {};
  return base::fail(ErrorCode::kInvalid,
                    "PNG: an animation whose first frame is not the whole picture");
}

int orientation_of(Bytes content) {
  std::vector<std::byte> segment(6 + content.size());
  std::memcpy(segment.data(), "Exif\0", 6);
  std::ranges::copy(content, segment.begin() + 6);
  return exif_orientation(segment);
}

Result<void> take(const Chunk& chunk, bool& has_header, PngHeader& out) {
  const std::string name(chunk.name);
  if (chunk.missing > 0) return corrupt("the file ends within its " + name + " chunk: it was cut");
  if (chunk.content.size() < least_of(chunk.name))
    return corrupt("its " + name + " chunk is too short");
  if (name == "IHDR") {
    has_header = true;
    return read_header(chunk.content, out);
  }
  if (!has_header) return corrupt("it begins with " + name + " instead of its header");
  if (name == "PLTE") return read_palette(chunk.content, out);
  if (name == "tRNS") return check_transparency(chunk.content, out.colour);
  if (name == "fcTL") return check_frame(chunk.content, out);
  if (name == "fdAT") return corrupt("an animation without a picture of its own");
  if (name == "eXIf") out.orientation = orientation_of(chunk.content);
  return {};
}

// What lies behind the pixels is passed over, but must be there.
Result<void> pass_rest(Chunks& chunks, Chunk& chunk, PngHeader& out) {
  do {
    if (chunk.name == "IEND") break;
    if (chunk.missing > 0)
      return corrupt("the file ends within its " + std::string(chunk.name) + " chunk: it was cut");
    if (chunk.name == "eXIf") out.orientation = orientation_of(chunk.content);
  } while (chunks.next(chunk));
  return {};
}

}  // namespace

int PngHeader::bits_per_pixel() const {
  switch (colour) {
    case PngColour::kGrey:
    case PngColour::kPalette:
      return depth;
    case PngColour::kGreyAlpha:
      return 2 * depth;
    case PngColour::kRgb:
      return 3 * depth;
    case PngColour::kRgbAlpha:
      return 4 * depth;
  }
  return 0;
}

bool is_png(Bytes file) {
  return file.size() >= kSignature.size() &&
         std::memcmp(file.data(), kSignature.data(), kSignature.size()) == 0;
}

Result<PngFile> read_png(Bytes file) {
  if (!is_png(file)) return corrupt("the file does not begin as one");
  PngFile out;
  Chunks chunks(file);
  Chunk chunk;
  bool has_header = false;
  while (true) {
    if (!chunks.next(chunk)) return corrupt("the file ends before its pixels: it was cut");
    if (chunk.name == "IDAT" || chunk.name == "IEND") break;
    if (auto done = take(chunk, has_header, out.header); !done)
      return std::unexpected(done.error());
    if (!chunks.has_right_checksum(chunk))
      return corrupt("the checksum of its " + std::string(chunk.name) + " chunk is wrong");
  }
  if (!has_header) return corrupt("it has no header");
  bool more = true;
  for (; more && chunk.name == "IDAT"; more = chunks.next(chunk)) {
    out.data.push_back(chunk.content);
    out.data_bytes += chunk.content.size();
  }
  if (out.data.empty()) return corrupt("it has no pixels");
  if (more) {
    if (auto done = pass_rest(chunks, chunk, out.header); !done)
      return std::unexpected(done.error());
  }
  return out;
}

}  // namespace flatout::data
