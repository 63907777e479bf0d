#include "data/decode/jpeg/scans.h"

#include <algorithm>
#include <array>
#include <string>

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;
using Bytes = std::span<const std::byte>;

constexpr std::int64_t kLeastVisits = std::int64_t{1} << 24;
constexpr std::int64_t kVisitsPerFileByte = 32;

constexpr int kLossless = 0xC3;
constexpr int kProgressive = 0xC2;
constexpr int kArithmeticProgressive = 0xCA;
constexpr int kOver = -1;  // no marker: the file is over
constexpr int kEndOfImage = 0xD9;
constexpr int kStartOfScan = 0xDA;
constexpr int kMostComponents = 4;
constexpr int kNever = -1;

int byte_of(Bytes bytes, std::size_t at) { return std::to_integer<int>(bytes[at]); }
int word_of(Bytes bytes, std::size_t at) {
  return byte_of(bytes, at) << 8 | byte_of(bytes, at + 1);
}

bool is_frame(int marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}
bool stands_alone(int marker) { return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8); }

// Markers one after the other, found as libjpeg finds them: whatever lies between two is passed
// over.
class Markers {
 public:
  explicit Markers(Bytes file) : file_(file) {}

  int next() {
    for (; at_ + 1 < file_.size(); ++at_) {
      if (file_[at_] != std::byte{0xFF}) continue;
      const int marker = byte_of(file_, at_ + 1);
      if (marker == 0 || marker == 0xFF) continue;
      at_ += 2;
      return marker;
    }
    return kOver;
  }

  // What belongs to it; empty where it is cut.
  Bytes segment() {
    if (file_.size() - at_ < 2) return {};
    const auto length = static_cast<std::size_t>(word_of(file_, at_));
    if (length < 2 || length > file_.size() - at_) return {};
    const Bytes out = file_.subspan(at_ + 2, length - 2);
    at_ += length;
    return out;
  }

 private:
  Bytes file_;
  std::size_t at_ = 0;
};

struct Part {
  int id = 0;
  int h = 1;
  int v = 1;
  std::int64_t blocks = 0;
  std::array<int, 64> missing = {};  // bits of each coefficient that no scan gave; kNever: all
};

class Frame {
 public:
  bool read(int marker, Bytes segment);
  bool read_scan(Bytes segment);

  bool is_progressive() const {
    return marker_ == kProgressive || marker_ == kArithmeticProgressive;
  }
  bool is_lossless() const { return marker_ == kLossless; }
  int scans() const { return scans_; }
  std::int64_t visits() const { return visits_; }
  bool lacks_scans() const {
    return std::any_of(parts_.begin(), parts_.begin() + count_, [](const Part& part) {
      return std::ranges::any_of(part.missing, [](int bits) { return bits != 0; });
    });
  }

 private:
  void count_blocks(int width, int height);

  int marker_ = 0;
  int count_ = 0;
  int scans_ = 0;
  std::int64_t visits_ = 0;
  std::array<Part, kMostComponents> parts_ = {};
};

bool Frame::read(int marker, Bytes segment) {
  if (marker_ != 0 || segment.size() < 6) return false;
  const int count = byte_of(segment, 5);
  if (count < 1 || count > kMostComponents ||
      segment.size() < 6 + 3 * static_cast<std::size_t>(count))
    return false;
  for (int i = 0; i < count; ++i) {
    const std::size_t at = 6 + 3 * static_cast<std::size_t>(i);
    Part& part = parts_[static_cast<std::size_t>(i)];
    part = {.id = byte_of(segment, at),
            .h = byte_of(segment, at + 1) >> 4,
            .v = byte_of(segment, at + 1) & 15};
    if (part.h < 1 || part.v < 1) return false;
    part.missing.fill(kNever);
  }
  marker_ = marker;
  count_ = count;
  count_blocks(word_of(segment, 3), word_of(segment, 1));
  return true;
}

void Frame::count_blocks(int width, int height) {
  const auto end = parts_.begin() + count_;
  const int h =
      std::max_element(parts_.begin(), end, [](auto& a, auto& b) { return a.h < b.h; })->h;
  const int v =
      std::max_element(parts_.begin(), end, [](auto& a, auto& b) { return a.v < b.v; })->v;
  const auto blocks = [](int size, int own, int largest) {
    const std::int64_t of_block = std::int64_t{8} * largest;
    return (std::int64_t{size} * own + of_block - 1) / of_block;
  };
  for (auto part = parts_.begin(); part != end; ++part)
    part->blocks = blocks(width, part->h, h) * blocks(height, part->v, v);
}

bool Frame::read_scan(Bytes segment) {
  if (count_ == 0 || segment.empty()) return false;
  const auto count = static_cast<std::size_t>(byte_of(segment, 0));
  if (count < 1 || count > kMostComponents || segment.size() < 4 + 2 * count) return false;
  const int begin = byte_of(segment, 1 + 2 * count);
  const int end = byte_of(segment, 2 + 2 * count);
  const int low = byte_of(segment, 3 + 2 * count) & 15;
  if (is_progressive() && (begin > end || end > 63)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = std::find_if(parts_.begin(), parts_.begin() + count_, [&](const Part& one) {
      return one.id == byte_of(segment, 1 + 2 * i);
    });
    if (part == parts_.begin() + count_) return false;
    visits_ += part->blocks;
    if (is_progressive())
      std::fill(&part->missing[static_cast<std::size_t>(begin)],
                &part->missing[static_cast<std::size_t>(end)] + 1, low);
  }
  ++scans_;
  return true;
}

Result<void> check(const Frame& frame, std::size_t file_bytes) {
  if (frame.is_lossless()) {
    return base::fail(ErrorCode::kInvalid,
                      "JPEG: a lossless file (SOF3), which only some versions of libjpeg-turbo "
                      "read; convert it, or leave it to Pillow");
  }
  if (frame.scans() > kMostJpegScans) {
    return base::fail(ErrorCode::kTooLarge, "JPEG: more than " + std::to_string(kMostJpegScans) +
                                                " scans, which no encoder writes");
  }
  if (frame.scans() > 1 && frame.visits() > most_jpeg_visits(file_bytes)) {
    return base::fail(ErrorCode::kTooLarge,
                      "JPEG: its " + std::to_string(frame.scans()) + " scans go over " +
                          std::to_string(frame.visits()) + " blocks, out of proportion to " +
                          std::to_string(file_bytes) + " bytes, which are good for " +
                          std::to_string(most_jpeg_visits(file_bytes)));
  }
  return {};
}

}  // namespace

std::int64_t most_jpeg_visits(std::size_t file_bytes) {
  return kLeastVisits + kVisitsPerFileByte * static_cast<std::int64_t>(file_bytes);
}

Result<void> check_jpeg_scans(Bytes file) {
  Markers markers(file);
  Frame frame;
  int marker = markers.next();
  for (; marker != kEndOfImage && marker != kOver; marker = markers.next()) {
    if (stands_alone(marker)) continue;
    const Bytes segment = markers.segment();
    if (is_frame(marker) && !frame.read(marker, segment)) return {};
    if (marker != kStartOfScan && !(is_frame(marker) && frame.is_lossless())) continue;
    if (marker == kStartOfScan && !frame.read_scan(segment)) return {};
    if (auto good = check(frame, file.size()); !good) return good;
  }
  if (marker == kEndOfImage && frame.is_progressive() && frame.lacks_scans()) {
    return base::fail(ErrorCode::kInvalid,
                      "JPEG: a progressive file that lacks scans: what stands in for them depends "
                      "on the version of libjpeg-turbo; leave it to Pillow");
  }
  return {};
}

}  // namespace flatout::data
