#include "trackers/wandb/log_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace flatout::trackers::wandb {
namespace {

constexpr std::size_t kBlockBytes = 32768;
constexpr std::size_t kHeadBytes = 7;
constexpr char kFileHead[kHeadBytes] = {':', 'W', '&', 'B', '\xe1', '\xbe', 0};

std::uint32_t crc_of(char type, std::string_view bytes) {
  const auto* at = reinterpret_cast<const Bytef*>(&type);
  uLong crc = ::crc32(0, at, 1);
  crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  return static_cast<std::uint32_t>(crc);
}

}  // namespace

base::Result<LogFile> LogFile::open(const std::filesystem::path& path) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  char head[kHeadBytes];
  const auto got = file->read_exactly(head);
  if (!got) return std::unexpected(got.error());
  if (!*got || std::memcmp(head, kFileHead, kHeadBytes) != 0) {
    return base::fail(base::ErrorCode::kCorrupt,
                      path.string() + " is no log of wandb's: its first bytes are others");
  }
  return LogFile(std::move(*file));
}

base::Result<void> LogFile::to_next_block() {
  std::size_t rest = kBlockBytes - static_cast<std::size_t>(file_.offset() % kBlockBytes);
  if (rest == kBlockBytes) return {};
  std::string skipped(rest, '\0');
  const auto got = file_.read_exactly(skipped);
  return got ? base::Result<void>{} : std::unexpected(got.error());
}

// Its bytes are in piece_.
base::Result<LogFile::Piece> LogFile::piece() {
  const std::size_t left = kBlockBytes - static_cast<std::size_t>(file_.offset() % kBlockBytes);
  if (left < kHeadBytes) {
    if (auto done = to_next_block(); !done) return std::unexpected(done.error());
  }
  const std::uint64_t begin = file_.offset();
  char head[kHeadBytes];
  auto got = file_.read_exactly(head);
  if (!got) return std::unexpected(got.error());
  if (!*got) {
    torn_ = torn_ || file_.offset() != begin;
    return Piece::kEnd;
  }
  const auto byte = [&head](int i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(head[i]));
  };
  const std::uint32_t crc = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
  const std::size_t length = byte(4) | byte(5) << 8;
  const std::size_t room = kBlockBytes - static_cast<std::size_t>(file_.offset() % kBlockBytes);
  const bool fits =
      byte(6) >= 1 && byte(6) <= 4 && (length <= room || (length == 0 && room == kBlockBytes));
  if (!fits) return Piece::kBad;
  piece_.resize(length);
  got = file_.read_exactly(piece_);
  if (!got) return std::unexpected(got.error());
  if (!*got) {
    torn_ = true;
    return Piece::kEnd;
  }
  return crc == crc_of(head[6], piece_) ? static_cast<Piece>(head[6]) : Piece::kBad;
}

base::Result<std::optional<std::string_view>> LogFile::next() {
  bool open = false;  // record_ has the first pieces of one
  for (;;) {
    const auto got = piece();
    if (!got) return std::unexpected(got.error());
    switch (*got) {
      case Piece::kEnd:
        torn_ = torn_ || open;
        return std::nullopt;
      case Piece::kBad:
        ++damaged_;
        open = false;
        if (auto done = to_next_block(); !done) return std::unexpected(done.error());
        break;
      case Piece::kFull:
        if (open) ++damaged_;
        record_ = piece_;
        return record_;
      case Piece::kFirst:
        if (open) ++damaged_;
        record_ = piece_;
        open = true;
        break;
      case Piece::kMiddle:
      case Piece::kLast:
        if (!open) break;  // of one whose begin was damaged
        if (record_.size() + piece_.size() > kLargestRecord) {
          ++damaged_;
          open = false;
          break;
        }
        record_ += piece_;
        if (*got == Piece::kLast) return record_;
        break;
    }
  }
}

}  // namespace flatout::trackers::wandb
