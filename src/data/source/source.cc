#include "data/source/source.h"

#include <algorithm>
#include <cstring>

namespace flatout::data {

std::span<std::byte> ReadBuffer::room(std::size_t size) {
  if (size + kPadding > capacity_) {
    capacity_ = std::max(size + size / 4, std::size_t{256} << 10) + kPadding;
    memory_ = std::make_unique_for_overwrite<std::byte[]>(capacity_);
  }
  std::memset(memory_.get() + size, 0, kPadding);
  return {memory_.get(), size};
}

std::optional<SampleVersion> Source::version(std::int64_t /*index*/) const { return std::nullopt; }

std::optional<PixelSize> Source::raw_size(std::int64_t /*index*/) const { return std::nullopt; }

base::Result<PixelView> Source::read_rows(std::int64_t index, int /*first*/, int /*count*/,
                                          ReadBuffer& /*buffer*/) const {
  return base::fail(base::ErrorCode::kInvalid, name(index) + ": is a file, not rows of pixels");
}

}  // namespace flatout::data
