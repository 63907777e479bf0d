// zlib and libzstd behind one interface: from pieces of compressed bytes to pieces of plain ones.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "data/source/compressed_file.h"

namespace flatout::data {

class CompressedFile::Stream {
 public:
  struct Step {
    std::size_t taken = 0;
    std::size_t given = 0;
    std::string wrong = {};  // why it cannot go on; "" while it can
  };

  virtual ~Stream() = default;

  // Takes of `from` and gives into `room` (not empty). With nothing to take, gives what it still
  // holds.
  virtual Step step(std::span<const std::byte> from, std::span<std::byte> room) = 0;

  // A part has ended, or none has begun: the file may end here.
  virtual bool between_parts() const = 0;

  // The last step filled its room, so there may be more without further bytes.
  virtual bool has_output() const = 0;

  // Whether these bytes can begin a part.
  virtual bool begins(std::span<const std::byte> bytes) const = 0;
};

// nullptr where there is no memory.
std::unique_ptr<CompressedFile::Stream> gzip_stream();
std::unique_ptr<CompressedFile::Stream> zstd_stream();

}  // namespace flatout::data
