// The frame of wandb's offline log (run-ID.wandb): a header of seven bytes, then LevelDB's log
// format with zlib's CRC-32 instead of CRC-32C. Sources: wandb/sdk/internal/datastore.py;
// github.com/google/leveldb/blob/main/doc/log_format.md. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trackers/input_file.h"

namespace flatout::trackers::wandb {

class LogFile {
 public:
  static constexpr std::size_t kLargestRecord = 64U << 20;

  // kCorrupt where the file does not begin as such a log.
  static base::Result<LogFile> open(const std::filesystem::path& path);

  // The next record, valid until the next call; absent at the end. A log whose writer was killed
  // ends in the middle of a record: that is its end. Damage in the middle is gone past: what
  // follows in the next block of 32 KiB is given, and damaged() counts.
  base::Result<std::optional<std::string_view>> next();
  bool torn() const { return torn_; }
  std::int64_t damaged() const { return damaged_; }

 private:
  enum class Piece : std::uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4, kEnd, kBad };

  explicit LogFile(InputFile file) : file_(std::move(file)) {}
  base::Result<Piece> piece();
  base::Result<void> to_next_block();

  InputFile file_;
  std::string record_;
  std::string piece_;
  bool torn_ = false;
  std::int64_t damaged_ = 0;
};

}  // namespace flatout::trackers::wandb
