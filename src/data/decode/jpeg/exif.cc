#include "data/decode/jpeg/exif.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace flatout::data {
namespace {

constexpr std::array<char, 6> kExifName = {'E', 'x', 'i', 'f', '\0', '\0'};
constexpr std::uint16_t kOrientationTag = 0x0112;
constexpr std::uint16_t kShortType = 3;

// A TIFF structure: numbers in either byte order at offsets that the file chooses.
class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // False where the first four bytes are no TIFF header.
  bool open() {
    if (bytes_.size() < 8) return false;
    little_ = bytes_[0] == std::byte{'I'} && bytes_[1] == std::byte{'I'};
    const bool big = bytes_[0] == std::byte{'M'} && bytes_[1] == std::byte{'M'};
    return (little_ || big) && read16(2) == 42;
  }

  std::optional<std::uint16_t> read16(std::size_t at) const {
    if (bytes_.size() < 2 || at > bytes_.size() - 2) return std::nullopt;
    const unsigned first = std::to_integer<unsigned>(bytes_[at]);
    const unsigned second = std::to_integer<unsigned>(bytes_[at + 1]);
    return static_cast<std::uint16_t>(little_ ? second << 8 | first : first << 8 | second);
  }

  std::optional<std::uint32_t> read32(std::size_t at) const {
    const auto first = read16(at);
    const auto second = read16(at + 2);
    if (!first || !second) return std::nullopt;
    const std::uint32_t high = little_ ? *second : *first;
    return high << 16 | (little_ ? *first : *second);
  }

 private:
  std::span<const std::byte> bytes_;
  bool little_ = false;
};

}  // namespace

int exif_orientation(std::span<const std::byte> segment) {
  if (segment.size() < kExifName.size() ||
      std::memcmp(segment.data(), kExifName.data(), kExifName.size()) != 0)
    return 1;
  Tiff tiff(segment.subspan(kExifName.size()));
  if (!tiff.open()) return 0;
  const std::size_t directory = tiff.read32(4).value_or(0);
  const int entries = tiff.read16(directory).value_or(0);
  for (int i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * static_cast<std::size_t>(i);
    const auto tag = tiff.read16(entry);
    if (!tag) return 1;
    if (*tag != kOrientationTag) continue;
    if (tiff.read16(entry + 2) != kShortType || tiff.read32(entry + 4) != 1) return 0;
    const int value = tiff.read16(entry + 8).value_or(1);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

}  // namespace flatout::data
