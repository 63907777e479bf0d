#include "trackers/tensorboard/record_file.h"

#include <array>
#include <cstring>

namespace flatout::trackers::tensorboard {
namespace {

constexpr std::uint32_t kCastagnoli = 0x82f63b78;  // reflected

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kCastagnoli : 0);
    table[byte] = crc;
  }
  return table;
}();

std::uint64_t little(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

std::uint32_t masked_crc(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc = kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ crc >> 8;
  }
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

base::Result<RecordFile> RecordFile::open(const std::filesystem::path& path) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  return RecordFile(std::move(*file));
}

base::Result<std::optional<std::string_view>> RecordFile::next() {
  const std::uint64_t begin = file_.offset();
  const auto corrupt = [&](const char* what) {
    return base::fail(base::ErrorCode::kCorrupt,
                      file_.name() + " is damaged at byte " + std::to_string(begin) + ": " + what);
  };
  char head[12];
  auto got = file_.read_exactly(head);
  if (!got) return std::unexpected(got.error());
  if (!*got) {
    torn_ = file_.offset() != begin;
    return std::nullopt;
  }
  const std::string_view length_bytes(head, 8);
  if (masked_crc(length_bytes) != little({head + 8, 4})) return corrupt("no record begins there");
  const std::uint64_t length = little(length_bytes);
  if (length > kLargestRecord) return corrupt("its record is larger than 64 MiB");
  record_.resize(static_cast<std::size_t>(length) + 4);
  got = file_.read_exactly(record_);
  if (!got) return std::unexpected(got.error());
  if (!*got) {
    torn_ = true;
    return std::nullopt;
  }
  const std::string_view bytes(record_.data(), static_cast<std::size_t>(length));
  if (masked_crc(bytes) != little(std::string_view(record_).substr(bytes.size()))) {
    return corrupt("its checksum does not fit");
  }
  return bytes;
}

}  // namespace flatout::trackers::tensorboard
