// Memory that a decoder keeps from file to file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace flatout::data {

// Grows as asked and is not cleared. After one huge image it does not stay huge: more than four
// times of what is asked for is given back, above 16 MiB.
class ScratchBytes {
 public:
  // At least `size` bytes, undefined; valid until the next call.
  std::uint8_t* get(std::size_t size) {
    constexpr std::size_t kFree = std::size_t{16} << 20;
    if (size > size_ || (size_ > kFree && size < size_ / 4)) {
      bytes_.reset();
      bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
      size_ = size;
    }
    return bytes_.get();
  }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace flatout::data
