// Bytes of a trace, from its first to its last. One thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"

namespace flatout::trace {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // The next bytes, at most into.size(), which is not 0. 0 = there are no more.
  virtual base::Result<std::size_t> read(std::span<char> into) = 0;
};

// A file, plain or compressed with gzip (also several members one after the other). A compressed
// file that ends early gives what there is, and then an error of kCorrupt.
base::Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path);

// Bytes in memory, which must outlive it.
class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : left_(bytes) {}
  base::Result<std::size_t> read(std::span<char> into) override;

 private:
  std::string_view left_;
};

}  // namespace flatout::trace
