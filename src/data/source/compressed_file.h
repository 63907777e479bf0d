// A file that was compressed as a whole, read from its beginning to its end: gzip (RFC 1952) or
// Zstandard (RFC 8878), one part or several after each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace flatout::data {

enum class Compression { kNone, kGzip, kZstd };

// By its first bytes, whatever it is called. kInvalid, with what to do, for xz and bzip2.
base::Result<Compression> compression_of(int fd, const std::string& path);

// One thread at a time. Memory: 64 KiB, and what the format looks back to: 32 KiB of gzip, of
// Zstandard what the file says, 128 MiB at most.
class CompressedFile {
 public:
  // `how`: not kNone. The file is read from where it stands.
  static base::Result<CompressedFile> open(base::UniqueFd file, Compression how, std::string path);

  CompressedFile(CompressedFile&&) noexcept;
  CompressedFile& operator=(CompressedFile&&) noexcept;
  ~CompressedFile();

  // Fills `room`, or less where the file ends; how many bytes came. kCorrupt, with the place in the
  // compressed file, for what is cut off, is damaged, or has something else behind its end (zeros
  // are passed over). After an error nothing more is to be read.
  base::Result<std::size_t> read(std::span<std::byte> room);

  // Compressed bytes that were taken so far.
  std::uint64_t taken() const;

  class Stream;  // of one format

 private:
  struct Parts;
  explicit CompressedFile(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace flatout::data
