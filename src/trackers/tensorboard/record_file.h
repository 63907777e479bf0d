// TFRecord, the frame of TensorBoard's event files: length, its checksum, bytes, their checksum.
// Source: tensorflow.org/tutorials/load_data/tfrecord, "TFRecords format details". One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trackers/input_file.h"

namespace flatout::trackers::tensorboard {

// CRC-32C (Castagnoli), masked as TFRecord has it.
std::uint32_t masked_crc(std::string_view bytes);

class RecordFile {
 public:
  static constexpr std::size_t kLargestRecord = 64U << 20;

  static base::Result<RecordFile> open(const std::filesystem::path& path);

  // The next record, valid until the next call; absent at the end. A file that is still written, or
  // whose writer was killed, ends in the middle of a record: that is its end. kCorrupt, with the
  // byte, where a checksum does not fit: nothing after it can be found.
  base::Result<std::optional<std::string_view>> next();
  // Bytes at the end that are no whole record.
  bool torn() const { return torn_; }

 private:
  explicit RecordFile(InputFile file) : file_(std::move(file)) {}

  InputFile file_;
  std::string record_;
  bool torn_ = false;
};

}  // namespace flatout::trackers::tensorboard
