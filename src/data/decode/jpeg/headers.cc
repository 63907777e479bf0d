#include "data/decode/jpeg/headers.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "data/decode/jpeg/exif.h"

namespace flatout::data {
namespace {

enum Marker : int {
  kFrame0 = 0xC0,
  kHuffman = 0xC4,
  kReserved = 0xC8,
  kArithmetic = 0xCC,
  kFrame15 = 0xCF,
  kStart = 0xD8,
  kEnd = 0xD9,
  kScan = 0xDA,
  kQuant = 0xDB,
  kRestartInterval = 0xDD,
  kApplication0 = 0xE0,
  kApplication1 = 0xE1,
  kApplication14 = 0xEE,
  kApplication15 = 0xEF,
  kComment = 0xFE,
};

int byte_at(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<int>(bytes[at]);
}
int word_at(std::span<const std::byte> bytes, std::size_t at) {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}

bool begins_with(std::span<const std::byte> bytes, const char* text, std::size_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), text, size) == 0;
}

}  // namespace

JpegHeaders::Next JpegHeaders::open() {
  if (file_.size() < 4 || word_at(file_, 0) != (0xFF00 | kStart)) return Next::kOdd;
  at_ = 2;
  return read_markers();
}

JpegHeaders::Next JpegHeaders::next_scan(std::size_t data_end) {
  at_ = data_end;
  // Coded data end at the first 0xFF that neither a zero (stuffing) nor a restart number follows.
  while (at_ + 1 < file_.size()) {
    const void* found = std::memchr(file_.data() + at_, 0xFF, file_.size() - at_ - 1);
    if (found == nullptr) return Next::kOdd;
    at_ = static_cast<std::size_t>(static_cast<const std::byte*>(found) - file_.data());
    const int code = byte_at(file_, at_ + 1);
    if (code != 0 && (code < 0xD0 || code > 0xD7)) return read_markers();
    at_ += 2;
  }
  return Next::kOdd;
}

JpegHeaders::Next JpegHeaders::read_markers() {
  for (;;) {
    if (at_ >= file_.size() || byte_at(file_, at_) != 0xFF) return Next::kOdd;
    while (at_ < file_.size() && byte_at(file_, at_) == 0xFF)
      ++at_;  // fill bytes may precede any marker
    if (at_ >= file_.size()) return Next::kOdd;
    const int marker = byte_at(file_, at_++);
    if (marker == kEnd) return Next::kEnd;
    if (!read_segment(marker)) return Next::kOdd;
    if (marker == kScan) return Next::kScan;
  }
}

bool JpegHeaders::read_segment(int marker) {
  if (file_.size() - at_ < 2) return false;
  const auto length = static_cast<std::size_t>(word_at(file_, at_));
  if (length < 2 || length > file_.size() - at_) return false;
  const auto segment = file_.subspan(at_ + 2, length - 2);
  at_ += length;
  if (marker == kHuffman) return read_huffman(segment);
  if (marker == kArithmetic || marker == kReserved) return false;
  if (marker >= kFrame0 && marker <= kFrame15) {
    if (component_count != 0) return false;
    frame_type = marker - kFrame0;
    return read_frame(segment);
  }
  if (marker == kScan) return read_scan(segment);
  if (marker == kQuant) return read_quant(segment);
  if (marker == kRestartInterval) return read_restart_interval(segment);
  if (marker >= kApplication0 && marker <= kApplication15)
    read_application(marker, segment);
  else if (marker != kComment)
    return false;
  return true;
}

bool JpegHeaders::read_frame(std::span<const std::byte> segment) {
  if (segment.size() < 6) return false;
  const int count = byte_at(segment, 5);
  if (count < 1 || count > kJpegMaxComponents ||
      segment.size() != 6 + 3 * static_cast<std::size_t>(count))
    return false;
  precision = byte_at(segment, 0);
  height = word_at(segment, 1);
  width = word_at(segment, 3);
  for (int i = 0; i < count; ++i) {
    const std::size_t at = 6 + 3 * static_cast<std::size_t>(i);
    const int sampling = byte_at(segment, at + 1);
    components[static_cast<std::size_t>(i)] = {
        .id = static_cast<std::uint8_t>(byte_at(segment, at)),
        .h = static_cast<std::uint8_t>(sampling >> 4),
        .v = static_cast<std::uint8_t>(sampling & 15),
        .quant = static_cast<std::uint8_t>(byte_at(segment, at + 2))};
  }
  component_count = count;
  return width > 0 && height > 0;
}

bool JpegHeaders::read_quant(std::span<const std::byte> segment) {
  while (!segment.empty()) {
    const int head = byte_at(segment, 0);
    const bool wide = head >> 4 != 0;
    const std::size_t size = 1 + (wide ? 128 : 64);
    const auto index = static_cast<std::size_t>(head & 15);
    if (index >= quant.size() || segment.size() < size) return false;
    QuantSpec& table = quant[index];
    table.present = true;
    table.wide = wide;
    for (std::size_t i = 0; i < 64; ++i) {
      table.steps[i] =
          static_cast<std::uint16_t>(wide ? word_at(segment, 1 + 2 * i) : byte_at(segment, 1 + i));
    }
    segment = segment.subspan(size);
  }
  return true;
}

bool JpegHeaders::read_huffman(std::span<const std::byte> segment) {
  while (!segment.empty()) {
    if (segment.size() < 17) return false;
    const int head = byte_at(segment, 0);
    const auto index = static_cast<std::size_t>(head & 15);
    if (head >> 4 > 1 || index >= dc.size()) return false;
    HuffmanSpec table = {.present = true};
    for (std::size_t i = 0; i < 16; ++i)
      table.counts[i] = static_cast<std::uint8_t>(byte_at(segment, 1 + i));
    table.symbol_count = std::accumulate(table.counts.begin(), table.counts.end(), 0);
    const auto count = static_cast<std::size_t>(table.symbol_count);
    if (count > table.symbols.size() || segment.size() < 17 + count) return false;
    std::memcpy(table.symbols.data(), segment.data() + 17, count);
    (head >> 4 == 0 ? dc : ac)[index] = table;
    segment = segment.subspan(17 + count);
  }
  return true;
}

bool JpegHeaders::read_scan(std::span<const std::byte> segment) {
  if (component_count == 0 || segment.empty()) return false;
  JpegScan scan;
  scan.part_count = byte_at(segment, 0);
  if (scan.part_count < 1 || scan.part_count > component_count) return false;
  const auto count = static_cast<std::size_t>(scan.part_count);
  if (segment.size() != 4 + 2 * count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const int id = byte_at(segment, 1 + 2 * i);
    const auto begin = components.begin();
    const auto found = std::find_if(begin, begin + component_count,
                                    [id](const JpegComponent& c) { return c.id == id; });
    if (found == begin + component_count) return false;
    const int tables = byte_at(segment, 2 + 2 * i);
    scan.parts[i] = {
        .component = static_cast<int>(found - begin), .dc = tables >> 4, .ac = tables & 15};
    if (scan.parts[i].dc >= kJpegTables || scan.parts[i].ac >= kJpegTables) return false;
    // In the order of the frame, as the standard demands; so none stands twice.
    if (i > 0 && scan.parts[i].component <= scan.parts[i - 1].component) return false;
  }
  scan.spectral_begin = byte_at(segment, 1 + 2 * count);
  scan.spectral_end = byte_at(segment, 2 + 2 * count);
  scan.approximation = byte_at(segment, 3 + 2 * count);
  scan.data_begin = at_;
  scan_ = scan;
  return true;
}

bool JpegHeaders::read_restart_interval(std::span<const std::byte> segment) {
  if (segment.size() != 2) return false;
  restart_interval = word_at(segment, 0);
  return true;
}

void JpegHeaders::read_application(int marker, std::span<const std::byte> segment) {
  // The lengths are those that libjpeg asks for before it believes a marker.
  if (marker == kApplication0 && segment.size() >= 14 && begins_with(segment, "JFIF", 5))
    jfif = true;
  if (marker == kApplication14 && segment.size() >= 12 && begins_with(segment, "Adobe", 5))
    adobe_transform = byte_at(segment, 11);
  if (marker == kApplication1 && !saw_exif_ && begins_with(segment, "Exif", 5)) {
    saw_exif_ = true;
    orientation = exif_orientation(segment);
  }
}

bool JpegHeaders::is_rgb() const {
  if (component_count != 3 || jfif) return false;
  if (adobe_transform >= 0) return adobe_transform == 0;
  return components[0].id == 'R' && components[1].id == 'G' && components[2].id == 'B';
}

bool jpeg_has_end(std::span<const std::byte> file, std::size_t begin) {
  std::size_t end = file.size();
  while (end >= begin + 2) {
    if (word_at(file, end - 2) == (0xFF00 | kEnd)) return true;
    const void* found = memrchr(file.data() + begin, kEnd, end - 1 - begin);
    if (found == nullptr) return false;
    end = static_cast<std::size_t>(static_cast<const std::byte*>(found) - file.data()) + 1;
  }
  return false;
}

}  // namespace flatout::data
