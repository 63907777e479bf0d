// What an epoch consists of: samples by number, and the bytes of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "data/pixels.h"

namespace flatout::data {

// Memory that one thread reads samples into, kept from one to the next. It grows to the largest
// sample read.
class ReadBuffer {
 public:
  // Bytes after what was read, zero, so that a decoder may look at whole words without going beyond
  // our memory.
  static constexpr std::size_t kPadding = 64;

  // Room for `size` bytes and the padding; what was in it before is lost.
  std::span<std::byte> room(std::size_t size);

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
};

// Of a picture whose pixels are stored as they are.
struct PixelSize {
  int width = 0;
  int height = 0;
};

// What a sample's bytes are known by from one process to the next: written again, the file has
// another time or size.
struct SampleVersion {
  std::string file;  // its whole path
  std::uint64_t file_bytes = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t offset = 0;  // of the sample in the file
  std::uint64_t bytes = 0;   // as read() gives them
};

// What every set of samples tells.
class SampleList {
 public:
  virtual ~SampleList() = default;

  // Samples, which are numbered from 0.
  virtual std::int64_t size() const = 0;

  // Its class, or what stands in for one. `index` in [0, size()).
  virtual std::int64_t label(std::int64_t index) const = 0;

  // How messages name it: a path, a path and a member.
  virtual std::string name(std::int64_t index) const = 0;
};

// A set whose samples are files, or pixels.
class Source : public SampleList {
 public:
  // name() without where the set lies: alike in every copy of it.
  virtual std::string short_name(std::int64_t index) const { return name(index); }

  // The sample's encoded bytes, valid until the buffer is used again. From any thread, each with a
  // buffer of its own.
  virtual base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                        ReadBuffer& buffer) const = 0;

  // Asks the file system, without reading. Absent where it does not say, or has no such file.
  virtual std::optional<SampleVersion> version(std::int64_t index) const;

  // Its size where the sample is pixels, not a file that has to be decoded.
  virtual std::optional<PixelSize> raw_size(std::int64_t index) const;

  // Rows [first, first + count) of such a sample, red, green and blue; otherwise as read().
  // kInvalid where it is none.
  virtual base::Result<PixelView> read_rows(std::int64_t index, int first, int count,
                                            ReadBuffer& buffer) const;
};

}  // namespace flatout::data
